"""Who approves refunds, and how they are asked."""

from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel

from agboss import (
    ChannelAnswered,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    ChannelWithdrawal,
    ExecutionContext,
    PauseAnswerer,
    Sensitive,
    channel,
    channel_role,
)
from interpreters.refunds import RefundReplyInterpreter


class RefundInput(BaseModel):
    order_id: str
    amount: Decimal
    card: Annotated[str, Sensitive()]


@channel_role(
    name="refund-approval-channel",
    description="Approves card refunds",
    approves=RefundInput,
    answered_by=PauseAnswerer.CHANNEL,
    reply_interpreter=RefundReplyInterpreter,
)
class RefundApprovalChannel(ChannelOf[RefundInput]):
    """The finance managers' role."""


class Desk:
    """A folder as the managers' desk: a file for each question, named by its pause id."""

    def __init__(self, folder: Path = Path(".data/desk")) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder


@channel(name="desk-refund-approval-channel", description="Puts the question on the managers' desk")
class DeskRefundApprovalChannel(RefundApprovalChannel):
    def __init__(self, desk: Desk, context: ExecutionContext) -> None:
        self._desk, self._context = desk, context

    async def send(self, ask: ChannelAsk[RefundInput]) -> ChannelOutcome:
        refund = ask.value.arguments
        question = f"Refund order {refund.order_id}, {refund.amount} ({self._context.tenant_id})?"
        (self._desk.folder / ask.pause_id).write_text(question)
        return ChannelOutcome.await_reply()

    async def answered(self, answered: ChannelAnswered[RefundInput]) -> None:
        (self._desk.folder / answered.pause_id).unlink(missing_ok=True)

    async def withdraw(self, withdrawal: ChannelWithdrawal[RefundInput]) -> None:
        (self._desk.folder / withdrawal.pause_id).unlink(missing_ok=True)
