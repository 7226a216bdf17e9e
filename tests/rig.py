"""The rig of the acceptance tests: a small application whose model plays what the test writes into the start's text.

await rig.execute([call("pay-tool", amount=10)], "paid")     # one gated call, then the answer "paid"
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel

from agboss import (
    App,
    Application,
    AutoApproveChannel,
    AutoRejectChannel,
    ChannelAnswered,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    ChannelWithdrawal,
    DomainError,
    ExecutionContext,
    ExecutionResult,
    FinishText,
    Observer,
    PauseAnswerer,
    ScriptedModels,
    Sensitive,
    Settings,
    StartText,
    Terminal,
    TerminalUserChannel,
    agent,
    channel,
    channel_role,
    start,
    tool,
    workflow,
)
from agboss.devserver.config import DevServerConfig
from agboss.domain.conversation import AssistantMessage, ModelAnswer, ModelRequest, ToolCall, ToolMessage, UserMessage
from agboss.domain.events import AnyExecutionEvent
from agboss.ports.clock import Clock
from agboss.ports.models import ModelProvider
from agboss.stores.migrate import migrate

SOON = timedelta(seconds=30)
"""Longer than anything here takes: a wait that hangs fails its test."""


class Payment(BaseModel):
    amount: int
    to: str = "somebody"
    card: Annotated[str, Sensitive()] = "4111-1111"


class Text(BaseModel):
    text: str = ""


class PaymentDeclinedError(DomainError):
    code = "payment.declined"


@dataclass
class Told:
    """What components were told and did, as a test looks at it."""

    asks: list[ChannelAsk[Any]] = field(default_factory=list)
    withdrawals: list[ChannelWithdrawal[Any]] = field(default_factory=list)
    runs: list[tuple[str, BaseModel, str]] = field(default_factory=list)
    """Tool, input, idempotency key."""
    frames: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Where code ran, and what its ExecutionContext said."""
    order: list[str] = field(default_factory=list)
    events: list[AnyExecutionEvent] = field(default_factory=list)
    on_send: Callable[[ChannelAsk[Any]], Awaitable[ChannelOutcome]] | None = None
    on_withdraw: Callable[[ChannelWithdrawal[Any]], Awaitable[None]] | None = None
    on_answered: Callable[[ChannelAnswered[Any]], Awaitable[None]] | None = None
    """Of the simulation's channels; the rig's own don't hear answers."""
    on_run: Callable[[str, BaseModel], Awaitable[str]] | None = None

    def frame(self, where: str, context: ExecutionContext) -> None:
        self.frames.append(
            (
                where,
                {
                    "tenant": context.tenant_id,
                    "owner": context.owner_id,
                    "thread": context.thread_id,
                    "execution": context.execution_id,
                    "fields": dict(context.fields),
                    "node": context.step.node_id,
                    "call": context.step.call_id,
                    "key": context.step.idempotency_key,
                    "attempt": context.attempt,
                },
            )
        )


@channel_role(
    name="payment-approval-channel",
    description="Approves payments",
    approves=Payment,
    answered_by=PauseAnswerer.CHANNEL,
)
class PaymentApproval(ChannelOf[Payment]):
    """Answered by the channel's side."""


@channel_role(
    name="publish-approval-channel",
    description="Approves publishing",
    approves=Text,
    answered_by=PauseAnswerer.THREAD_OWNER,
)
class PublishApproval(ChannelOf[Text]):
    """Answered by the thread's owner."""


@channel_role(
    name="four-eyes-channel",
    description="Needs another person",
    approves=Text,
    answered_by=PauseAnswerer.CHANNEL,
    four_eyes=True,
)
class FourEyes(ChannelOf[Text]):
    """Answered by anybody but the thread's owner."""


class _Recording:
    def __init__(self, told: Told, context: ExecutionContext) -> None:
        self.told, self.context = told, context

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        self.told.asks.append(ask)
        self.told.order.append(f"send {ask.value.tool}")
        self.told.frame("send", self.context)
        return await self.told.on_send(ask) if self.told.on_send else ChannelOutcome.await_reply()

    async def withdraw(self, withdrawal: ChannelWithdrawal[Any]) -> None:
        self.told.withdrawals.append(withdrawal)
        self.told.frame("withdraw", self.context)
        if self.told.on_withdraw:
            await self.told.on_withdraw(withdrawal)


@channel(name="desk-payment-channel", description="A payments desk")
class DeskPayment(_Recording, PaymentApproval):
    pass


@channel(name="desk-publish-channel", description="Asks the owner")
class DeskPublish(_Recording, PublishApproval):
    pass


@channel(name="desk-four-eyes-channel", description="Asks another person")
class DeskFourEyes(_Recording, FourEyes):
    pass


@channel(name="plain-channel", description="A concrete channel without withdraw")
class PlainChannel:
    def __init__(self, told: Told) -> None:
        self.told = told

    async def send(self, ask: ChannelAsk[Text]) -> ChannelOutcome:
        self.told.asks.append(ask)
        return ChannelOutcome.await_reply()


class _Tool:
    def __init__(self, told: Told, context: ExecutionContext) -> None:
        self.told, self.context = told, context

    async def ran(self, name: str, input: BaseModel) -> str:
        self.told.runs.append((name, input, self.context.step.idempotency_key or ""))
        self.told.order.append(f"run {name}")
        self.told.frame("run", self.context)
        return await self.told.on_run(name, input) if self.told.on_run else f"{name} done"


@tool(name="pay-tool", description="Pays", channel=PaymentApproval, timeout=timedelta(seconds=20))
class PayTool(_Tool):
    async def run(self, payment: Payment) -> str:
        return await self.ran("pay-tool", payment)


@tool(name="publish-tool", description="Publishes", channel=PublishApproval, timeout=timedelta(seconds=20))
class PublishTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("publish-tool", text)


@tool(name="four-eyes-tool", description="Needs two people", channel=FourEyes)
class FourEyesTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("four-eyes-tool", text)


@tool(name="plain-tool", description="Asks a concrete channel", channel=PlainChannel)
class PlainTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("plain-tool", text)


@tool(name="terminal-tool", description="Asks in the terminal", channel=TerminalUserChannel)
class TerminalTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("terminal-tool", text)


@tool(name="approved-tool", description="Is approved at once", channel=AutoApproveChannel)
class ApprovedTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("approved-tool", text)


@tool(name="rejected-tool", description="Is rejected at once", channel=AutoRejectChannel)
class RejectedTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("rejected-tool", text)


@tool(name="free-tool", description="Asks nobody", timeout=timedelta(seconds=20))
class FreeTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("free-tool", text)


@tool(name="short-tool", description="Has a second", timeout=timedelta(seconds=1))
class ShortTool(_Tool):
    async def run(self, text: Text) -> str:
        return await self.ran("short-tool", text)


@tool(name="quick-pay-tool", description="Its channel has a second", channel=PaymentApproval, timeout=timedelta(seconds=1))
class QuickPayTool(_Tool):
    async def run(self, payment: Payment) -> str:
        return await self.ran("quick-pay-tool", payment)


@agent(
    name="clerk-agent",
    description="Does what the script says",
    prompt="Do it.",
    model="scripted/one",
    tools=[
        PayTool,
        PublishTool,
        FourEyesTool,
        PlainTool,
        TerminalTool,
        ApprovedTool,
        RejectedTool,
        FreeTool,
        ShortTool,
        QuickPayTool,
    ],
    max_turns=20,
)
class ClerkAgent:
    pass


@agent(name="free-agent", description="Can ask nobody", prompt="Do it.", model="scripted/one", tools=[FreeTool])
class FreeAgent:
    pass


@agent(name="payer-agent", description="Asks no owner", prompt="Do it.", model="scripted/one", tools=[PayTool], max_turns=3)
class PayerAgent:
    pass


@workflow(name="clerk-workflow", version="1", flow=[start(StartText).to_agent(ClerkAgent).to_finish(FinishText)])
class ClerkWorkflow:
    pass


@workflow(name="free-workflow", version="1", flow=[start(StartText).to_agent(FreeAgent).to_finish(FinishText)])
class FreeWorkflow:
    pass


@workflow(name="payer-workflow", version="1", flow=[start(StartText).to_agent(PayerAgent).to_finish(FinishText)])
class PayerWorkflow:
    pass


@workflow(
    name="two-agents-workflow",
    version="1",
    flow=[start(StartText).to_agent(PayerAgent).to_agent(FreeAgent).to_finish(FinishText)],
)
class TwoAgentsWorkflow:
    pass


class Receipt(BaseModel):
    total: int
    note: str


@workflow(name="receipt-workflow", version="1", flow=[start(StartText).to_agent(PayerAgent).to_finish(Receipt)])
class ReceiptWorkflow:
    pass


class Recorder(Observer):
    def __init__(self, told: Told) -> None:
        self.told = told

    async def on_execution_start(self, event: Any) -> None:
        self.told.events.append(event)

    on_execution_pause = on_execution_resume = on_execution_end = on_execution_error = on_execution_start


def call(name: str, /, **arguments: Any) -> list[Any]:
    """One call of a turn."""
    return [name, arguments]


def script(*turns: Any) -> str:
    """The start's text: a turn is a list of calls, or the answer's text."""
    return json.dumps(list(turns))


def play(request: ModelRequest) -> ModelAnswer:
    """Turn number n of the script in the first user message; the text ``=results`` is what the calls before it gave."""
    first = next(message for message in request.messages if isinstance(message, UserMessage))
    try:
        turns = json.loads(first.text)
    except ValueError:
        return ModelAnswer(text=f"heard: {first.text}")
    number = sum(isinstance(message, AssistantMessage) for message in request.messages)
    turn = turns[number] if isinstance(turns, list) and number < len(turns) else "finished"
    if turn == "=results":
        return ModelAnswer(text="; ".join(m.text for m in request.messages if isinstance(m, ToolMessage)))
    if isinstance(turn, str):
        return ModelAnswer(text=turn)
    return ModelAnswer(
        text="", calls=tuple(ToolCall(id=f"t{number}c{place}", name=c[0], arguments=c[1]) for place, c in enumerate(turn))
    )


def application(told: Told, models: ModelProvider, *, name: str = "rig", **more: Any) -> Application:
    return Application(
        name=name,
        workflows=[ClerkWorkflow, FreeWorkflow, PayerWorkflow, TwoAgentsWorkflow, ReceiptWorkflow],
        channels=more.pop("channels", [DeskPayment, DeskPublish, DeskFourEyes]),
        models=[models],
        services=[told, *more.pop("services", [])],
        observers=[Recorder],
        **more,
    )


@dataclass
class Rig:
    """A running application and what its components were told."""

    app: App
    told: Told
    models: ScriptedModels
    settings: Settings
    declaration: Application
    terminal: Terminal

    async def execute(self, *turns: Any, **options: Any) -> ExecutionResult[Any]:
        """Run the clerk (or ``workflow=``) through these turns, for tenant acme and owner customer-1."""
        given = {"tenant_id": "acme", "owner_id": "customer-1", "timeout": SOON} | options
        flow = given.pop("workflow", ClerkWorkflow)
        if not given.get("wait", True):
            given.pop("timeout")
        return await self.app.execute(flow, StartText(text=script(*turns)), **given)

    async def answer(self, pause_id: str, decision: Any = None, **options: Any) -> ExecutionResult[Any]:
        """Answer as manager-17 of tenant acme, approving unless told otherwise."""
        given: dict[str, Any] = {"tenant_id": "acme", "timeout": SOON} | options
        if "owner_id" not in given:
            given.setdefault("answered_by", "manager-17")
        return await self.app.resume(pause_id, decision={"approved": True} if decision is None else decision, **given)

    @property
    def ids(self) -> list[str]:
        """Pause ids as the channel was given them."""
        return [ask.pause_id for ask in self.told.asks]

    def last_results(self) -> dict[str, str]:
        """Call id → result, as the newest model request has them."""
        return {m.call_id: m.text for m in self.models.requests[-1].messages if isinstance(m, ToolMessage)}

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that happens on its own."""
        async with asyncio.timeout(SOON.total_seconds()):
            while not condition():
                await asyncio.sleep(0.01)

    async def until_ended(self, result: ExecutionResult[Any], tenant: str = "acme") -> None:
        """Wait for the tree's end, however it ends."""
        index = self.app._index
        async with asyncio.timeout(SOON.total_seconds()):
            while True:
                progress = await index.progress(tenant, result.execution_id)  # type: ignore[arg-type]
                if progress is not None and progress.ended:
                    return
                await asyncio.sleep(0.01)

    def kinds(self, execution_id: str | None = None) -> list[str]:
        """Kinds of the events observers heard, of one execution."""
        return [e.kind for e in self.told.events if execution_id in (None, e.execution_id)]


@asynccontextmanager
async def running_rig(
    temporal: DevServerConfig,
    folder: Path,
    *,
    clock: Clock | None = None,
    provider: ModelProvider | None = None,
    **more: Any,
) -> AsyncIterator[Rig]:
    """A rig with a worker of its own: own index, own task queue, on a shared server. ``provider`` is asked in place of the
    scripted models."""
    import io

    url = f"sqlite:///{folder / 'index.db'}"
    migrate(url)
    told, models, terminal = Told(), ScriptedModels(), Terminal()
    terminal.stream = io.StringIO()
    models.when().reply(play)
    services = [terminal, *more.pop("services", [])]
    declaration = application(told, provider or models, name=f"rig-{secrets.token_hex(4)}", services=services, **more)
    settings = Settings(index=url, temporal_address=temporal.address, temporal_namespace=temporal.namespace)
    async with declaration.worker(settings, clock=clock) as app:
        yield Rig(app, told, models, settings, declaration, terminal)
