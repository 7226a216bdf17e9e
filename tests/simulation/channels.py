"""The simulation's channels: one that hears answers for payments; for publishing two, of which one hears them."""

from contextvars import ContextVar
from typing import Any

from agboss import ChannelAnswered, ChannelAsk, ChannelOutcome, ChannelWithdrawal, ExecutionContext, channel
from tests.rig import PaymentApproval, PublishApproval, Told

CHANNEL: ContextVar[str] = ContextVar("the channel whose code runs")


class _Named:
    """Says which channel it is to what the seed makes of its calls."""

    name: str

    def __init__(self, told: Told, context: ExecutionContext) -> None:
        self.told = told

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        CHANNEL.set(self.name)
        assert self.told.on_send is not None
        return await self.told.on_send(ask)

    async def withdraw(self, withdrawal: ChannelWithdrawal[Any]) -> None:
        CHANNEL.set(self.name)
        assert self.told.on_withdraw is not None
        await self.told.on_withdraw(withdrawal)


class _Hearing(_Named):
    async def answered(self, answered: ChannelAnswered[Any]) -> None:
        CHANNEL.set(self.name)
        assert self.told.on_answered is not None
        await self.told.on_answered(answered)


@channel(name="sim-payment-channel", description="Hears answers")
class SimPayment(_Hearing, PaymentApproval):
    name = "sim-payment-channel"


@channel(name="sim-publish-channel", description="Hears answers")
class SimPublish(_Hearing, PublishApproval):
    name = "sim-publish-channel"


@channel(name="sim-deaf-channel", description="Hears nothing of answers")
class SimDeaf(_Named, PublishApproval):
    name = "sim-deaf-channel"


HEARS = ("sim-payment-channel", "sim-publish-channel")
