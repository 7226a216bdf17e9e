"""Channels of the rig's payment role that keep, each under its own name, what they were asked and told."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agboss import ChannelAnswered, ChannelAsk, ChannelOutcome, ChannelWithdrawal, ExecutionContext, channel
from agboss.devserver.config import DevServerConfig
from tests.rig import DeskFourEyes, DeskPublish, Payment, PaymentApproval, Rig, running_rig


@dataclass
class Ears:
    """What the channels heard, as (channel, what)."""

    asks: list[tuple[str, ChannelAsk[Any]]] = field(default_factory=list)
    answers: list[tuple[str, ChannelAnswered[Any]]] = field(default_factory=list)
    withdrawals: list[tuple[str, ChannelWithdrawal[Any]]] = field(default_factory=list)
    frames: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Of asks and answers: tenant, execution, idempotency key."""
    sends: dict[str, Callable[[ChannelAsk[Any]], Awaitable[ChannelOutcome]]] = field(default_factory=dict)
    """What a channel's ``send`` does, in place of awaiting the reply."""
    on_answered: Callable[[ChannelAnswered[Any]], Awaitable[None]] | None = None

    @property
    def id(self) -> str:
        """The pause's id, as the channels were given it last."""
        return self.asks[-1][1].pause_id

    def who(self, told: list[tuple[str, Any]]) -> list[str]:
        """The channels, sorted."""
        return sorted(name for name, _ in told)


class _Keeping:
    name: str

    def __init__(self, ears: Ears, context: ExecutionContext) -> None:
        self.ears, self.context = ears, context

    async def send(self, ask: ChannelAsk[Payment]) -> ChannelOutcome:
        self.ears.asks.append((self.name, ask))
        self._frame()
        send = self.ears.sends.get(self.name)
        return await send(ask) if send else ChannelOutcome.await_reply()

    async def withdraw(self, withdrawal: ChannelWithdrawal[Payment]) -> None:
        self.ears.withdrawals.append((self.name, withdrawal))

    def _frame(self) -> None:
        context = self.context
        self.ears.frames.append((context.tenant_id, context.execution_id, context.step.idempotency_key))


class _Hearing(_Keeping):
    async def answered(self, answered: ChannelAnswered[Payment]) -> None:
        self.ears.answers.append((self.name, answered))
        self._frame()
        if self.ears.on_answered:
            await self.ears.on_answered(answered)


@channel(name="chat-payment-channel", description="Hears answers")
class ChatPayment(_Hearing, PaymentApproval):
    name = "chat"


@channel(name="mail-payment-channel", description="Hears answers")
class MailPayment(_Hearing, PaymentApproval):
    name = "mail"


@channel(name="fax-payment-channel", description="Hears nothing")
class FaxPayment(_Keeping, PaymentApproval):
    name = "fax"


@asynccontextmanager
async def listening(temporal: DevServerConfig, folder: Path, *channels: type[Any]) -> AsyncIterator[tuple[Rig, Ears]]:
    """A rig whose payments are approved through these channels."""
    ears = Ears()
    others = [DeskPublish, DeskFourEyes]
    async with running_rig(temporal, folder, channels=[*channels, *others], services=[ears]) as rig:
        yield rig, ears


async def activity_types(rig: Rig, execution_id: str) -> list[str]:
    """The types of the activities that an execution's workflow had so far, in order."""
    from temporalio.client import Client

    progress: Any = await rig.app._index.progress("acme", execution_id)  # type: ignore[arg-type]
    client = await Client.connect(rig.settings.temporal_address, namespace=rig.settings.temporal_namespace)
    history = await client.get_workflow_handle(progress.frame.workflow_id).fetch_history()
    scheduled = [e.activity_task_scheduled_event_attributes for e in history.events]
    return [attributes.activity_type.name for attributes in scheduled if attributes.activity_type.name]
