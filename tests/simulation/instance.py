"""One workflow in one worker's memory: the project's own Flow and Holder, driven by activations as Temporal's SDK does."""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agboss.domain.failures import FailureRecord
from agboss.domain.ids import PauseKey, WorkflowId
from agboss.domain.rests import Owed, RestAnswer, RestRequest
from agboss.temporal import wire
from agboss.temporal.wire import (
    Ask,
    AskResult,
    Call,
    CallResult,
    EndStep,
    ExecutionInput,
    FenceStep,
    ModelTurn,
    Moved,
    TakeBack,
    TurnResult,
    WakeStep,
)
from agboss.temporal.workflow.flow import Ended, Flow, Renew
from agboss.temporal.workflow.holder import Holder
from agboss.temporal.workflow.steps import StepFailed, Stopped
from tests.simulation.loops import SimLoop


@dataclass(frozen=True, slots=True)
class Started:
    """Event: the run's first."""


@dataclass(frozen=True, slots=True)
class Signalled:
    """Event: "look"."""

    key: PauseKey


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """Event: a cancel from outside."""


@dataclass(frozen=True, slots=True)
class StepDone:
    """Event: a step's result, its failure, or that it was cancelled."""

    number: int
    result: Any = None
    failure: FailureRecord | None = None
    cancelled: bool = False


Event = Started | Signalled | CancelRequested | StepDone


@dataclass(frozen=True, slots=True)
class Schedule:
    """Command: run a step."""

    number: int
    name: str
    message: Any
    local: bool
    waits: bool


@dataclass(frozen=True, slots=True)
class Cancel:
    """Command: cancel a step."""

    number: int


@dataclass(frozen=True, slots=True)
class Close:
    """Command: the run has ended, or goes on as a new one."""

    how: Ended | Renew


Command = Schedule | Cancel | Close


class Instance:
    """State is made at once, because a signal may come in the first activation; the flow begins with ``Started``."""

    def __init__(self, input: ExecutionInput, workflow_id: WorkflowId, *, renews_after: int) -> None:
        self.loop = SimLoop()
        self.holder = Holder()
        self.length = 0
        self._input = input
        self._workflow_id = workflow_id
        self._renews_after = renews_after
        self._commands: list[Command] = []
        self._futures: dict[int, asyncio.Future[StepDone]] = {}
        self._numbers = 0
        self._primary: asyncio.Task[Ended | Renew] | None = None

    def activate(self, batch: Sequence[Event]) -> tuple[Command, ...]:
        """Take in events, signals first as the SDK does, and give the commands they led to."""
        self._commands = []
        self.length += len(batch)
        for event in batch:
            if isinstance(event, Signalled):
                self.holder.signalled(event.key)
        self.loop.drain()
        for event in batch:
            self._apply(event)
        self.loop.drain()
        if self._primary is not None and self._primary.done():
            self._commands.append(Close(self._primary.result()))
        if self.loop.errors:
            raise self.loop.errors[0]
        self.length += len(self._commands)
        return tuple(self._commands)

    def _apply(self, event: Event) -> None:
        match event:
            case Started():
                flow = Flow(self.holder, _Steps(self), self._input, workflow_id=self._workflow_id)
                self._primary = self.loop.create_task(flow.run())
            case CancelRequested():
                assert self._primary is not None
                # As the SDK: the flow has begun before it is cancelled, also where both come at once.
                self.loop.call_soon(self._primary.cancel)
            case StepDone(number=number):
                future = self._futures.pop(number)
                if not future.done():
                    future.set_result(event)
            case Signalled():
                pass

    def renews(self) -> bool:
        return self.length > self._renews_after

    async def run(self, name: str, message: Any, *, local: bool = False, waits: bool = True) -> Any:
        """One step, as ``workflow.execute_activity`` is one: a cancel is asked for, and its outcome awaited."""
        self._numbers += 1
        number = self._numbers
        task = self.loop.create_task(self._handle(number, name, message, local=local, waits=waits))
        try:
            done = await task
        except asyncio.CancelledError:
            # Cancelled in the activation that would have scheduled it.
            raise Stopped from None
        if done.cancelled:
            raise Stopped
        if done.failure is not None:
            raise StepFailed(done.failure)
        return done.result

    async def _handle(self, number: int, name: str, message: Any, *, local: bool, waits: bool) -> StepDone:
        self._futures[number] = future = self.loop.create_future()
        self._commands.append(Schedule(number, name, message, local, waits))
        while True:
            try:
                done: StepDone = await asyncio.shield(future)
            except asyncio.CancelledError:
                self._commands.append(Cancel(number))
            else:
                return done


class _Steps:
    """See ``Steps``."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance

    async def model_turn(self, step: ModelTurn, *, timeout_seconds: float) -> TurnResult:
        result: TurnResult = await self._instance.run(step.kind, step, waits=False)
        return result

    async def ask(self, step: Ask, *, summary: str) -> AskResult:
        result: AskResult = await self._instance.run(step.kind, step)
        return result

    async def call(self, step: Call, *, summary: str) -> CallResult:
        result: CallResult = await self._instance.run(step.kind, step)
        return result

    async def take_back(self, owed: Owed, *, after_send: bool = False) -> None:
        with contextlib.suppress(StepFailed):
            await self._instance.run(owed.kind, TakeBack(owed=owed, after_send=after_send))

    async def rest(self, request: RestRequest) -> RestAnswer:
        answer: RestAnswer = await self._transaction(wire.REST, request)
        return answer

    async def wake(self, step: WakeStep) -> Moved:
        moved: Moved = await self._transaction(wire.WAKE, step)
        return moved

    async def fence(self, step: FenceStep) -> Moved:
        moved: Moved = await self._transaction(wire.FENCE, step)
        return moved

    async def end(self, step: EndStep) -> Moved:
        moved: Moved = await self._transaction(wire.END, step)
        return moved

    async def _transaction(self, name: str, message: Any) -> Any:
        try:
            return await self._instance.run(name, message, local=True)
        except StepFailed:
            return await self._instance.run(name, message)

    def should_renew(self, *, signals: int) -> bool:
        return self._instance.renews()

    def show(self, *, status: str, waiting: Sequence[str]) -> None:
        pass
