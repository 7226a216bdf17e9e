"""Reads what a finance manager replies to a refund: a chat model, which may change the amount."""

from agboss import DecidedBy, reply_interpreter
from workflows.models import model


@reply_interpreter(
    name="refund-reply-interpreter",
    description="Turns a manager's free-text reply into a refund decision",
    decided_by=DecidedBy.MODEL,
    model=model("office/reader"),
    prompt="The manager answered a refund approval in free text. Decide approve or reject, and any changed amount.",
)
class RefundReplyInterpreter:
    pass
