"""F02: a channel hears of an answer with the DTO of its tools, who gave it, and whether it was acted on."""

from typing import assert_type

from pydantic import BaseModel

from agboss import ChannelAnswered, ChannelAsk, ChannelOf, ChannelOutcome, ToolCallApprovalAsk, ToolCallApprovalDecision


class Refund(BaseModel):
    order_id: str


class Payment(BaseModel):
    card: str


class HearingChannel(ChannelOf[Refund]):
    async def send(self, ask: ChannelAsk[Refund]) -> ChannelOutcome:
        return ChannelOutcome.await_reply()

    async def answered(self, answered: ChannelAnswered[Refund]) -> None:
        assert_type(answered.value.arguments.order_id, str)
        assert_type(answered.decision, ToolCallApprovalDecision)
        assert_type(answered.decision.approved, bool)
        assert_type(answered.decision.reason, str | None)
        assert_type(answered.responder, str)
        assert_type(answered.acted_on, bool | None)
        print(answered.value.arguments.card)  # E: attr-defined
        print(answered.resolution)  # E: attr-defined


class OfAnotherDto(ChannelOf[Refund]):
    async def send(self, ask: ChannelAsk[Refund]) -> ChannelOutcome:
        return ChannelOutcome.await_reply()

    async def answered(self, answered: ChannelAnswered[Payment]) -> None:  # E: override
        pass


class OfAnotherOutcome(ChannelOf[Refund]):
    async def send(self, ask: ChannelAsk[Refund]) -> ChannelOutcome:
        return ChannelOutcome.await_reply()

    async def answered(self, answered: ChannelAnswered[Refund]) -> ChannelOutcome:  # E: override
        return ChannelOutcome.await_reply()


class DeafChannel(ChannelOf[Refund]):
    """The hook is optional."""

    async def send(self, ask: ChannelAsk[Refund]) -> ChannelOutcome:
        return ChannelOutcome.await_reply()


DEAF = DeafChannel()


def made(asked: ToolCallApprovalAsk[Refund]) -> list[ChannelAnswered[Refund]]:
    decision = ToolCallApprovalDecision(approved=True)
    return [
        ChannelAnswered(pause_id="", channel="", value=asked, decision=decision, responder="m", acted_on=None),
        ChannelAnswered(pause_id="", channel="", value=asked, decision=decision, acted_on=True),  # E: call-arg
        ChannelAnswered(pause_id="", channel="", value=asked, decision=True, responder="m", acted_on=True),  # E: arg-type
    ]
