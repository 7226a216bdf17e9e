"""The frame that user code runs in, and ``ExecutionContext``, the injected view of it."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from agboss.errors import ConfigurationError


class CancellationSignal:
    """Tells user code that its result is no longer wanted: its time is over, or its execution was cancelled.

    Thread-safe; user code may ask ``is_set()`` or await ``wait()``.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._reason: str | None = None

    def set(self, reason: str) -> None:
        """Set it; the first reason stays."""
        if not self._event.is_set():
            self._reason = reason
            self._event.set()

    def is_set(self) -> bool:
        """Whether the result is no longer wanted."""
        return self._event.is_set()

    @property
    def reason(self) -> str | None:
        """Why, for people."""
        return self._reason

    async def wait(self, *, poll_seconds: float = 0.05) -> str:
        """Return the reason once it is set."""
        # Set from other threads, and awaited on loops that nobody told it of: so it is looked at.
        while not self._event.is_set():  # noqa: ASYNC110
            await asyncio.sleep(poll_seconds)
        return self._reason or ""

    def wait_blocking(self, seconds: float | None = None) -> bool:
        """Block until it is set, or for ``seconds``; whether it is set."""
        return self._event.wait(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFrame:
    """The step that runs: of which agent, and for a tool call of which call."""

    node_id: str
    agent: str
    tool: str | None = None
    call_id: str | None = None
    idempotency_key: str | None = None
    """The same at every attempt of this call and of no other: give it to whatever must not happen twice (R04)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What the engine enters before it calls user code."""

    tenant_id: str
    thread_id: str
    owner_id: str | None
    execution_id: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    step: StepFrame | None = None
    attempt: int = 1
    signal: CancellationSignal = field(default_factory=CancellationSignal)
    sending: bool = False
    """Inside a channel's ``send``."""


_frame: ContextVar[Frame] = ContextVar("agboss_frame")


@contextmanager
def enter(frame: Frame) -> Iterator[None]:
    """Make ``frame`` the current one inside the block."""
    token = _frame.set(frame)
    try:
        yield
    finally:
        _frame.reset(token)


def is_sending() -> bool:
    """Whether this code runs inside a channel's ``send`` (R11)."""
    frame = _frame.get(None)
    return frame is not None and frame.sending


@dataclass(frozen=True, slots=True)
class Tenant:
    """The tenant of an execution."""

    tenant_id: str


class ExecutionContext:
    """Whose execution this is, and which step of it: inject it by type into any component's constructor.

    One object serves all executions: each property reads the frame of the call that is running.
    """

    @property
    def tenant(self) -> Tenant:
        return Tenant(self._now().tenant_id)

    @property
    def tenant_id(self) -> str:
        return self._now().tenant_id

    @property
    def thread_id(self) -> str:
        return self._now().thread_id

    @property
    def owner_id(self) -> str | None:
        """The thread's owner, whoever answered (S142)."""
        return self._now().owner_id

    @property
    def execution_id(self) -> str:
        return self._now().execution_id

    @property
    def fields(self) -> Mapping[str, Any]:
        """The project's own fields, as ``execute(fields=…)`` was given them."""
        return MappingProxyType(dict(self._now().fields))

    @property
    def step(self) -> StepFrame:
        """The step that runs.

        Raises:
            ConfigurationError: no step runs, as in an observer.
        """
        step = self._now().step
        if step is None:
            raise ConfigurationError("no step runs here: ExecutionContext.step is there in tools, channels and models")
        return step

    @property
    def attempt(self) -> int:
        """1 at the first attempt; more after a lost worker."""
        return self._now().attempt

    @property
    def signal(self) -> CancellationSignal:
        """Set when the result is no longer wanted."""
        return self._now().signal

    @staticmethod
    def _now() -> Frame:
        frame = _frame.get(None)
        if frame is None:
            raise ConfigurationError(
                "there is no execution here: ExecutionContext can be read only while agboss calls a component"
            )
        return frame
