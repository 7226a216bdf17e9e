"""What a server in front of an application needs beside the facade: its callers, values instead of exceptions, readiness."""

import asyncio
from dataclasses import dataclass

from agboss.app import App
from agboss.domain.ids import WorkflowId
from agboss.errors import PauseIndexError, TemporalUnavailableError
from agboss.ports.callers import Callers
from agboss.ports.clock import Clock
from agboss.ports.pause_index import PauseIndex
from agboss.standing import Standing
from agboss.temporal.gateway import Gateway

_PROBE = WorkflowId("agboss-probe")
"""A workflow that never is: asking for it is the cheapest question Temporal answers."""
_PROBE_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A connected application, to be served. Made by ``Application.serving``."""

    app: App
    callers: Callers
    standing: Standing
    clock: Clock
    workflows: frozenset[str]
    """Names of what can be started."""
    index: PauseIndex
    gateway: Gateway

    async def index_answers(self) -> bool:
        """Whether the pause index can be read now."""
        try:
            await self.index.check()
        except PauseIndexError:
            return False
        return True

    async def temporal_answers(self) -> bool:
        """Whether Temporal can be reached now."""
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                await self.gateway.state(_PROBE)
        except (TemporalUnavailableError, TimeoutError):
            return False
        return True
