"""Channels that decide at once, for tests and for trying things out."""

from typing import Any

from agboss.declare.channel import ChannelOf, channel
from agboss.domain.asks import ChannelAsk
from agboss.domain.outcomes import ChannelOutcome


@channel(name="auto-approve-channel", description="Approves every call at once")
class AutoApproveChannel(ChannelOf[Any]):
    """The tool runs without a pause (S250)."""

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        return ChannelOutcome.decided({"approved": True})


@channel(name="auto-reject-channel", description="Rejects every call at once")
class AutoRejectChannel(ChannelOf[Any]):
    """The tool never runs, and nobody is asked (S251)."""

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        return ChannelOutcome.decided({"approved": False})
