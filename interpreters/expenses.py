"""Reads what the owner's two buttons send back: code, because a button's value needs no model."""

import json
from typing import Any

from pydantic import BaseModel

from agboss import (
    DecidedBy,
    ReplyInput,
    ReplyInterpretation,
    ToolCallApprovalAsk,
    ToolCallApprovalDecision,
    reply_interpreter,
)


class Expense(BaseModel):
    purpose: str


@reply_interpreter(
    name="expense-reply-interpreter",
    description="Reads an expense button's value",
    decided_by=DecidedBy.CODE,
)
class ExpenseReplyInterpreter:
    def interpret(self, input: ReplyInput[ToolCallApprovalAsk[Expense]]) -> ReplyInterpretation[ToolCallApprovalDecision]:
        value: Any = json.loads(input.reply)
        if not isinstance(value, dict) or "approved" not in value:
            return ReplyInterpretation.not_understood(reason=f"not an expense button: {input.reply}")
        return ReplyInterpretation.understood({"approved": value["approved"] is True})
