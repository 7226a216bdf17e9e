"""Buttons: a chat application sends back the value of the one that was pressed.

@reply_interpreter(name="expense-reply-interpreter", description="…", decided_by=DecidedBy.CODE)
class ExpenseReplyInterpreter(ButtonReplies):
    pass
"""

import json
from typing import Any

from agboss.domain.asks import ToolCallApprovalDecision
from agboss.domain.replies import ReplyInput, ReplyInterpretation

_LONGEST = 10_000


class ButtonReplies:
    """Understands exactly ``{"approved": true}`` and ``{"approved": false}``, with a ``reason`` if there is one."""

    def interpret(self, input: ReplyInput[Any]) -> ReplyInterpretation[ToolCallApprovalDecision]:
        value = _pressed(input.reply)
        if value is None:
            return ReplyInterpretation.not_understood(reason="this is no button's value")
        return ReplyInterpretation.understood(value)


def _pressed(reply: str) -> dict[str, Any] | None:
    if len(reply) > _LONGEST:
        return None
    try:
        value = json.loads(reply, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("approved"), bool) or set(value) - {"approved", "reason"}:
        return None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name twice is two answers."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made
