"""What a model reads in place of a tool's result. One module, because people match on these texts."""


def tool_error(text: str) -> str:
    """Any failure of a tool, as the model reads it."""
    return f"Tool error: {text}"


def rejected(by: str, reason: str | None) -> str:
    """A rejection; no colon where no reason was given (S057, S058)."""
    told = f"the call was rejected by {by}"
    return tool_error(f"{told}: {reason}" if reason else told)


OUTCOME_UNKNOWN = tool_error(
    "outcome unknown: the worker that ran the call was lost, and the call may or may not have taken effect"
)
"""For a tool that says ``idempotent=False``."""
