"""Who decides on deposits and expenses, and how they are asked."""

from pydantic import BaseModel

from agboss import ChannelAsk, ChannelOf, ChannelOutcome, PauseAnswerer, channel, channel_role
from channels.refunds import Desk
from interpreters.deposits import DepositReplyInterpreter
from interpreters.expenses import Expense, ExpenseReplyInterpreter


class DepositReturn(BaseModel):
    lease_id: str


@channel_role(
    name="deposit-approval-channel",
    description="A clerk approves deposit returns",
    approves=DepositReturn,
    answered_by=PauseAnswerer.CHANNEL,
    reply_interpreter=DepositReplyInterpreter,
)
class DepositApprovalChannel(ChannelOf[DepositReturn]):
    """The clerks' role."""


@channel_role(
    name="expense-approval-channel",
    description="The thread's owner confirms an expense with two buttons",
    approves=Expense,
    answered_by=PauseAnswerer.THREAD_OWNER,
    reply_interpreter=ExpenseReplyInterpreter,
)
class ExpenseApprovalChannel(ChannelOf[Expense]):
    """The owner's role."""


@channel(name="desk-deposit-approval-channel", description="Asks the clerk on duty")
class DeskDepositApprovalChannel(DepositApprovalChannel):
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def send(self, ask: ChannelAsk[DepositReturn]) -> ChannelOutcome:
        (self._desk.folder / ask.pause_id).write_text(f"Return the deposit of {ask.value.arguments.lease_id}?")
        return ChannelOutcome.await_reply()


@channel(name="button-expense-approval-channel", description="Shows the owner two buttons")
class ButtonExpenseApprovalChannel(ExpenseApprovalChannel):
    async def send(self, ask: ChannelAsk[Expense]) -> ChannelOutcome:
        # The page that shows the buttons finds the question, with its id, in the owner's view.
        return ChannelOutcome.await_reply()
