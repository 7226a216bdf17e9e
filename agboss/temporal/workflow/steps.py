"""What a holder needs from outside: its steps and transactions, each one awaitable.

Temporal's implementation is ``temporal_steps``; the simulation has its own. That is why nothing else in this folder but
``execution`` and ``temporal_steps`` knows Temporal.
"""

from collections.abc import Sequence
from typing import Protocol

from agboss.domain.failures import FailureRecord
from agboss.domain.rests import Owed, RestAnswer, RestRequest
from agboss.temporal.wire import (
    Ask,
    AskResult,
    Call,
    CallResult,
    EndStep,
    FenceStep,
    ModelTurn,
    Moved,
    TurnResult,
    WakeStep,
)


class Stopped(Exception):
    """The holder, or the part of it that a task belongs to, has to stop: fenced, or cancelled. Never an error."""


class StepFailed(Exception):
    """A step failed for good; ``failure`` is what it raised."""

    def __init__(self, failure: FailureRecord) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Steps(Protocol):
    """Every method may raise ``Stopped`` when its task was cancelled, and ``StepFailed``.

    A cancelled task's ``ask`` and ``call`` go on to their end, since user code can't be taken back; ``model_turn`` is left
    alone at once.
    """

    async def model_turn(self, step: ModelTurn, *, timeout_seconds: float) -> TurnResult: ...

    async def ask(self, step: Ask, *, summary: str) -> AskResult: ...

    async def call(self, step: Call, *, summary: str) -> CallResult: ...

    async def take_back(self, owed: Owed, *, after_send: bool = False) -> None:
        """Tell a channel how its question closed. Best effort; never raises anything but ``Stopped``."""
        ...

    async def rest(self, request: RestRequest) -> RestAnswer: ...

    async def wake(self, step: WakeStep) -> Moved: ...

    async def fence(self, step: FenceStep) -> Moved: ...

    async def end(self, step: EndStep) -> Moved: ...

    def should_renew(self, *, signals: int) -> bool:
        """Whether the run, with that many signals so far, is long enough to continue as new at the next quiet moment."""
        ...

    def show(self, *, status: str, waiting: Sequence[str]) -> None:
        """Show people where this holder stands; ``waiting`` has a masked line for each waiting pause."""
        ...
