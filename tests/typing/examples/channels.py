"""A channel is asked with the DTO of its tools, and says what came of it with one of two named constructors."""

from typing import assert_type

from pydantic import BaseModel

from agboss import ChannelAsk, ChannelOf, ChannelOutcome, ChannelWithdrawal, ToolCallApprovalDecision


class Refund(BaseModel):
    order_id: str
    amount: int


class Payment(BaseModel):
    card: str


class RefundChannel(ChannelOf[Refund]):
    async def send(self, ask: ChannelAsk[Refund]) -> ChannelOutcome:
        assert_type(ask.value.arguments, Refund)
        assert_type(ask.value.arguments.order_id, str)
        assert_type(ask.value.arguments.amount, int)
        print(ask.value.arguments.card)  # E: attr-defined
        ask.value.arguments.amount.upper()  # E: attr-defined
        return ChannelOutcome.await_reply()

    async def withdraw(self, withdrawal: ChannelWithdrawal[Refund]) -> None:
        assert_type(withdrawal.value.arguments.order_id, str)
        print(withdrawal.value.arguments.card)  # E: attr-defined


class OfAnotherDto(ChannelOf[Refund]):
    async def send(self, ask: ChannelAsk[Payment]) -> ChannelOutcome:  # E: override
        return ChannelOutcome.await_reply()

    async def withdraw(self, withdrawal: ChannelWithdrawal[Payment]) -> None:  # E: override
        pass


class OfAnotherOutcome(ChannelOf[Refund]):
    async def send(self, ask: ChannelAsk[Refund]) -> bool:  # E: override
        return True


class WithoutSend(ChannelOf[Refund]):
    pass


def outcomes() -> list[ChannelOutcome]:
    return [
        ChannelOutcome.await_reply(),
        ChannelOutcome.decided({"approved": True}),
        ChannelOutcome.decided(ToolCallApprovalDecision(approved=False, reason="too much")),
        ChannelOutcome.decided(True),  # E: arg-type
        ChannelOutcome.approved(),  # E: attr-defined
        ChannelOutcome(decision={"approved": True}),  # E: call-arg
        ChannelOutcome(),  # E: call-arg
    ]


WITHOUT_SEND = WithoutSend()  # E: abstract
