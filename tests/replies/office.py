"""An office whose three roles read replies: by a chat model, by a decision model, by code."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from agboss import (
    App,
    Application,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    DecidedBy,
    ExecutionContext,
    ExecutionResult,
    FinishText,
    PauseAnswerer,
    ReplyInput,
    ReplyInterpretation,
    ScriptedDecisions,
    ScriptedModels,
    Sensitive,
    Settings,
    StartText,
    ToolCallApprovalAsk,
    ToolCallApprovalDecision,
    agent,
    channel,
    channel_role,
    reply_interpreter,
    start,
    tool,
    workflow,
)
from agboss.devserver.config import DevServerConfig
from agboss.stores.migrate import migrate
from tests.rig import SOON, call, play, script


class Refund(BaseModel):
    amount: int = Field(le=1000)
    card: Annotated[str, Sensitive()] = "4111-1111"


class Deposit(BaseModel):
    lease_id: str


class Expense(BaseModel):
    purpose: str


@dataclass
class Told:
    """What components were told and did."""

    asks: list[ChannelAsk[Any]] = field(default_factory=list)
    runs: list[BaseModel] = field(default_factory=list)
    read: list[ReplyInput[Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    interpret: Callable[[ReplyInput[Any]], Awaitable[Any]] | None = None

    def frame(self, context: ExecutionContext) -> None:
        step = context.step
        self.frames.append(
            {
                "tenant": context.tenant_id,
                "owner": context.owner_id,
                "execution": context.execution_id,
                "fields": dict(context.fields),
                "step": (step.node_id, step.call_id, step.idempotency_key),
            }
        )


@reply_interpreter(
    name="refund-reply-interpreter",
    description="Reads a manager's reply",
    decided_by=DecidedBy.MODEL,
    model="chat/reader",
    prompt="The manager answered a refund approval.",
)
class RefundReplies:
    pass


@reply_interpreter(
    name="deposit-reply-interpreter",
    description="Reads a clerk's reply",
    decided_by=DecidedBy.MODEL,
    model="typesafe/jev-1.13",
    prompt="The clerk answered a deposit return.",
)
class DepositReplies:
    pass


@reply_interpreter(
    name="expense-reply-interpreter",
    description="Reads what the test says",
    decided_by=DecidedBy.CODE,
    timeout=timedelta(seconds=20),
)
class ExpenseReplies:
    def __init__(self, told: Told, context: ExecutionContext) -> None:
        self.told, self.context = told, context

    async def interpret(
        self, input: ReplyInput[ToolCallApprovalAsk[Expense]]
    ) -> ReplyInterpretation[ToolCallApprovalDecision]:
        self.told.read.append(input)
        self.told.frame(self.context)
        if self.told.interpret is not None:
            given: Any = await self.told.interpret(input)
            return given  # type: ignore[no-any-return]
        return ReplyInterpretation.understood({"approved": input.reply == "yes"})


@channel_role(
    name="refund-approval-channel",
    description="",
    approves=Refund,
    answered_by=PauseAnswerer.CHANNEL,
    reply_interpreter=RefundReplies,
)
class RefundApproval(ChannelOf[Refund]):
    pass


@channel_role(
    name="deposit-approval-channel",
    description="",
    approves=Deposit,
    answered_by=PauseAnswerer.CHANNEL,
    reply_interpreter=DepositReplies,
)
class DepositApproval(ChannelOf[Deposit]):
    pass


@channel_role(
    name="expense-approval-channel",
    description="",
    approves=Expense,
    answered_by=PauseAnswerer.THREAD_OWNER,
    reply_interpreter=ExpenseReplies,
)
class ExpenseApproval(ChannelOf[Expense]):
    pass


@channel_role(name="mute-approval-channel", description="", approves=Expense, answered_by=PauseAnswerer.CHANNEL)
class MuteApproval(ChannelOf[Expense]):
    pass


class _Desk:
    def __init__(self, told: Told, context: ExecutionContext) -> None:
        self.told, self.context = told, context

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        self.told.asks.append(ask)
        self.told.frame(self.context)
        return ChannelOutcome.await_reply()


@channel(name="desk-refund-channel", description="")
class DeskRefund(_Desk, RefundApproval):
    pass


@channel(name="desk-deposit-channel", description="")
class DeskDeposit(_Desk, DepositApproval):
    pass


@channel(name="desk-expense-channel", description="")
class DeskExpense(_Desk, ExpenseApproval):
    pass


@channel(name="desk-mute-channel", description="")
class DeskMute(_Desk, MuteApproval):
    pass


class _Tool:
    def __init__(self, told: Told) -> None:
        self.told = told


@tool(name="refund-tool", description="", channel=RefundApproval)
class RefundTool(_Tool):
    def run(self, refund: Refund) -> str:
        self.told.runs.append(refund)
        return f"refunded {refund.amount}"


@tool(name="deposit-tool", description="", channel=DepositApproval)
class DepositTool(_Tool):
    def run(self, deposit: Deposit) -> str:
        self.told.runs.append(deposit)
        return f"returned the deposit of {deposit.lease_id}"


@tool(name="expense-tool", description="", channel=ExpenseApproval)
class ExpenseTool(_Tool):
    def run(self, expense: Expense) -> str:
        self.told.runs.append(expense)
        return f"booked {expense.purpose}"


@tool(name="mute-tool", description="", channel=MuteApproval)
class MuteTool(_Tool):
    def run(self, expense: Expense) -> str:
        self.told.runs.append(expense)
        return "done"


@agent(
    name="clerk-agent",
    description="",
    prompt="Do it.",
    model="script/clerk",
    tools=[RefundTool, DepositTool, ExpenseTool, MuteTool],
)
class Clerk:
    pass


@workflow(name="desk-workflow", version="1", flow=[start(StartText).to_agent(Clerk).to_finish(FinishText)])
class DeskWorkflow:
    pass


REFUND = call("refund-tool", amount=50)
DEPOSIT = call("deposit-tool", lease_id="L-7")
EXPENSE = call("expense-tool", purpose="pens")
MUTE = call("mute-tool", purpose="pens")


@dataclass
class Desk:
    """A running office, with its scripts."""

    app: App
    told: Told
    clerk: ScriptedModels
    chat: ScriptedModels
    decisions: ScriptedDecisions
    settings: Settings
    declaration: Application

    async def asked(self, *calls: Any, **options: Any) -> ExecutionResult[Any]:
        """Run the clerk until these calls wait, all in one turn."""
        text = script(list(calls), "=results")
        given = {"tenant_id": "acme", "owner_id": "customer-1", "timeout": SOON} | options
        return await self.app.execute(DeskWorkflow, StartText(text=text), **given)

    async def reply(self, text: str, *, number: int = -1, **options: Any) -> ExecutionResult[Any]:
        """Reply to the question asked last, or to the one of that number; as manager-17, or as the owner where it is theirs."""
        ask = self.told.asks[number]
        given: dict[str, Any] = {"tenant_id": "acme", "timeout": SOON} | options
        if not {"owner_id", "answered_by"} & set(given):
            mine = ask.channel == "expense-approval-channel"
            given |= {"owner_id": "customer-1"} if mine else {"answered_by": "manager-17"}
        return await self.app.resume(ask.pause_id, reply=text, **given)

    async def untouched(self, number: int = -1) -> None:
        """The pause waits, nothing is recorded of it, no tool ran."""
        record = await self.app._index.find("acme", self.told.asks[number].pause_id)  # type: ignore[arg-type]
        assert record is not None and record.status == "pending" and record.answer is None
        assert await self.app._index.entries("acme", record.root) == ()  # type: ignore[arg-type]
        assert self.told.runs == []

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that happens on its own."""
        async with asyncio.timeout(SOON.total_seconds()):
            while not condition():
                await asyncio.sleep(0.01)


def declared(told: Told, models: Any, *, name: str) -> Application:
    return Application(
        name=name,
        workflows=[DeskWorkflow],
        channels=[DeskRefund, DeskDeposit, DeskExpense, DeskMute],
        models=models,
        services=[told],
    )


@asynccontextmanager
async def running_desk(temporal: DevServerConfig, folder: Path, *, models: Any = None) -> AsyncIterator[Desk]:
    """An office with a worker of its own. ``models`` are asked first."""
    url = f"sqlite:///{folder / 'index.db'}"
    migrate(url)
    told, clerk = Told(), ScriptedModels(serves=["script/*"])
    chat, decisions = ScriptedModels(serves=["chat/*"]), ScriptedDecisions(serves=["typesafe/*"])
    clerk.when().reply(play)
    offered = [*(models or []), clerk, chat, decisions]
    declaration = declared(told, offered, name=f"desk-{secrets.token_hex(4)}")
    settings = Settings(index=url, temporal_address=temporal.address, temporal_namespace=temporal.namespace)
    async with declaration.worker(settings) as app:
        yield Desk(app, told, clerk, chat, decisions, settings, declaration)
