"""S097, S098: what an interpreter by code is given and gives is typed by the role it reads for."""

from decimal import Decimal
from typing import assert_type

from pydantic import BaseModel

from agboss import (
    DecidedBy,
    ReplyInput,
    ReplyInterpretation,
    ToolCallApprovalAsk,
    ToolCallApprovalDecision,
    reply_interpreter,
)


class Refund(BaseModel):
    amount: Decimal


Interpretation = ReplyInterpretation[ToolCallApprovalDecision]


@reply_interpreter(name="good-reply-interpreter", description="", decided_by=DecidedBy.CODE)
class Good:
    def interpret(self, input: ReplyInput[ToolCallApprovalAsk[Refund]]) -> Interpretation:
        assert_type(input.ask.arguments.amount, Decimal)
        assert_type(input.reply, str)
        if input.reply == "yes":
            return ReplyInterpretation.understood({"approved": True})
        if input.reply == "no":
            return ReplyInterpretation.understood(ToolCallApprovalDecision(approved=False))
        return ReplyInterpretation.not_understood(reason="unclear")


class Bare:
    def interpret(self, input: ReplyInput[ToolCallApprovalAsk[Refund]]) -> Interpretation:
        return {"approved": True}  # E: return-value


class Wrong:
    def interpret(self, input: ReplyInput[ToolCallApprovalAsk[Refund]]) -> Interpretation:
        return ReplyInterpretation.understood(Refund(amount=Decimal(1)))  # E: arg-type


class Silent:
    def interpret(self, input: ReplyInput[ToolCallApprovalAsk[Refund]]) -> Interpretation:
        return ReplyInterpretation.not_understood()  # E: call-arg


@reply_interpreter(name="late-reply-interpreter", description="", decided_by="code")  # E: arg-type
class Late:
    pass
