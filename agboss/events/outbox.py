"""Telling observers: in order within a tree, once, and again only after a crash in between, with the same number."""

import asyncio
import logging
import secrets
from typing import assert_never

from agboss.declare.context import CancellationSignal, Frame
from agboss.declare.observer import Observer
from agboss.domain.events import (
    AnyExecutionEvent,
    ExecutionEnded,
    ExecutionFailed,
    ExecutionPaused,
    ExecutionResumed,
    ExecutionStarted,
)
from agboss.errors import AgbossError
from agboss.ports.pause_index import OutboxEvent, PauseIndex
from agboss.temporal.user_code import UserCode

_log = logging.getLogger("agboss.events")
_BATCH = 100
_LEASE_SECONDS = 30.0
_UNOBSERVED_SECONDS = 5.0
OBSERVER_TIMEOUT_SECONDS = 10.0


class Outbox:
    """Delivers one application's events to its observers. One process at a time does, under a lease."""

    def __init__(self, index: PauseIndex, observers: tuple[Observer, ...], user_code: UserCode) -> None:
        self._index = index
        self._observers = observers
        self._user_code = user_code
        self._name = secrets.token_hex(8)

    async def run(self, *, idle_seconds: float = 0.2) -> None:
        """Deliver until cancelled; looks again after ``idle_seconds`` when there was nothing, and less often where nobody
        listens."""
        if not self._observers:
            idle_seconds = _UNOBSERVED_SECONDS
        while True:
            try:
                delivered = await self.deliver()
            except AgbossError as error:
                _log.warning("events wait: %s", error)
                delivered = 0
            if not delivered or not self._observers:
                await asyncio.sleep(idle_seconds)

    async def deliver(self) -> int:
        """Deliver what is there; gives how many events. 0 also where another process delivers."""
        if not await self._index.lease("events", self._name, seconds=_LEASE_SECONDS):
            return 0
        events = await self._index.undelivered(limit=_BATCH)
        if not self._observers:
            # Nobody to tell, so no order to keep: all of them share a commit.
            await asyncio.gather(*(self._index.delivered(event.root, event.number) for event in events))
            return len(events)
        for event in events:
            await self._tell(event)
            await self._index.delivered(event.root, event.number)
        return len(events)

    async def _tell(self, event: OutboxEvent) -> None:
        for observer in self._observers:
            try:
                await self._user_code.run(
                    _hook(observer, event.event),
                    event.event,
                    frame=_frame(event.event),
                    timeout=OBSERVER_TIMEOUT_SECONDS,
                )
            except Exception:
                # A hook that raises is a warning and changes nothing (S038).
                _log.warning(
                    "observer.failed: %s on event %d of execution %s",
                    type(observer).__name__,
                    event.number,
                    event.root,
                    exc_info=True,
                    extra={"code": "observer.failed", "execution_id": event.root},
                )


def _hook(observer: Observer, event: AnyExecutionEvent):  # type: ignore[no-untyped-def]
    match event:
        case ExecutionStarted():
            return observer.on_execution_start
        case ExecutionPaused():
            return observer.on_execution_pause
        case ExecutionResumed():
            return observer.on_execution_resume
        case ExecutionEnded():
            return observer.on_execution_end
        case ExecutionFailed():
            return observer.on_execution_error
        case _:
            assert_never(event)


def _frame(event: AnyExecutionEvent) -> Frame:
    return Frame(
        tenant_id=event.tenant_id,
        thread_id=event.thread_id,
        owner_id=event.owner_id,
        execution_id=event.execution_id,
        fields={},
        step=None,
        attempt=1,
        signal=CancellationSignal(),
    )
