"""Reads what a clerk replies to a deposit return: a decision model, which says yes or no and nothing else."""

from agboss import DecidedBy, reply_interpreter


@reply_interpreter(
    name="deposit-reply-interpreter",
    description="Reads whether a clerk's reply approves a deposit return",
    decided_by=DecidedBy.MODEL,
    model="typesafe/jev-1.13",
    prompt="The clerk answered a deposit return.",
)
class DepositReplyInterpreter:
    pass
