"""A stand-in for Temporal's server: histories, workflow tasks, steps with attempts, lost workers, signals and cancels.

Workflows are rebuilt from their histories whenever their instance is gone, and must then issue the same commands.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from temporalio.exceptions import ApplicationError

from agboss.declare.context import CancellationSignal
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import PauseKey, WorkflowId
from agboss.errors import TemporalUnavailableError
from agboss.temporal.gateway import WorkflowState
from agboss.temporal.reading_wire import Read, ReadResult
from agboss.temporal.wire import REST, Ask, ExecutionInput
from agboss.temporal.workflow.flow import Renew
from tests.simulation.instance import (
    Cancel,
    CancelRequested,
    Close,
    Command,
    Event,
    Instance,
    Schedule,
    Signalled,
    Started,
    StepDone,
)
from tests.simulation.worker import Worker
from tests.simulation.world import Process, Violation, World


@dataclass(eq=False, slots=True)
class SimStep:
    """One scheduled step, over all its attempts."""

    workflow: "SimWorkflow"
    command: Schedule
    attempt: int = 1
    running_on: Worker | None = None
    done: bool = False
    abandoned: bool = False
    """Cancelled without waiting: it may run on, and nobody hears of it."""
    token: object = field(default_factory=object)
    """Of the attempt the server listens to."""
    signal: CancellationSignal = field(default_factory=CancellationSignal)


@dataclass(eq=False, slots=True)
class SimWorkflow:
    """One workflow id; ``history`` is that of its current run."""

    id: WorkflowId
    input: ExecutionInput
    running: bool = True
    runs: int = 1
    history: list[tuple[tuple[Event, ...], tuple[Command, ...]]] = field(default_factory=list)
    buffered: list[Event] = field(default_factory=list)
    steps: dict[int, SimStep] = field(default_factory=dict)
    instance: Instance | None = None
    worker: Worker | None = None
    activated: tuple[Event, ...] | None = None
    task_waits: bool = False
    cancel_requested: bool = False


class SimTemporal:
    """The server and its workers."""

    def __init__(self, world: World, new_worker: Callable[[], Worker], *, workers: int) -> None:
        self._world = world
        self._new_worker = new_worker
        self.workers = [new_worker() for _ in range(workers)]
        self.workflows: dict[WorkflowId, SimWorkflow] = {}
        self.texts: list[str] = []
        """Everything that was sent here."""
        self.replays = 0

    # --- what clients ask for ---

    def start(self, id: WorkflowId, input: ExecutionInput) -> None:
        known = self.workflows.get(id)
        if known is not None and known.running:
            return
        self.texts.append(input.model_dump_json())
        workflow = self.workflows[id] = SimWorkflow(id, input)
        self._event(workflow, Started())

    def signal(self, id: WorkflowId, key: PauseKey) -> bool:
        workflow = self.workflows.get(id)
        if workflow is None or not workflow.running:
            return False
        self.texts.append(key)
        self._event(workflow, Signalled(key))
        return True

    def cancel(self, id: WorkflowId) -> bool:
        workflow = self.workflows.get(id)
        if workflow is None or not workflow.running:
            return False
        if not workflow.cancel_requested:
            workflow.cancel_requested = True
            self._event(workflow, CancelRequested())
        return True

    def terminate(self, id: WorkflowId) -> None:
        workflow = self.workflows[id]
        workflow.running = False
        workflow.instance = None
        for step in workflow.steps.values():
            step.token = object()

    def state(self, id: WorkflowId) -> WorkflowState:
        workflow = self.workflows.get(id)
        if workflow is None:
            return WorkflowState.UNKNOWN
        return WorkflowState.RUNNING if workflow.running else WorkflowState.CLOSED

    # --- workflow tasks ---

    def _event(self, workflow: SimWorkflow, event: Event) -> None:
        workflow.buffered.append(event)
        self._wake(workflow)

    def _wake(self, workflow: SimWorkflow) -> None:
        if workflow.running and workflow.buffered and workflow.activated is None and not workflow.task_waits:
            workflow.task_waits = True
            self._world.happens("server: workflow task", lambda: self._task(workflow))

    def _task(self, workflow: SimWorkflow) -> None:
        workflow.task_waits = False
        if not workflow.running:
            return
        if workflow.instance is not None and self._world.chance("evicted"):
            workflow.instance = None
        if workflow.instance is None:
            workflow.worker = self._world.rng.choice(self.workers)
            workflow.instance = self._rebuilt(workflow)
        batch = workflow.activated = tuple(workflow.buffered)
        workflow.buffered.clear()
        instance, worker = workflow.instance, workflow.worker
        assert worker is not None
        self._world.note(f"activation {batch}")
        commands = instance.activate(batch)
        self._world.note(f"commands {[_said(command) for command in commands]}")
        self._world.happens(
            f"{worker.process.name}: task completes",
            lambda: self._complete(workflow, instance, batch, commands),
            worker.process,
        )

    def _rebuilt(self, workflow: SimWorkflow) -> Instance:
        instance = Instance(workflow.input, workflow.id, renews_after=self._world.weather.renews_after)
        for batch, commands in workflow.history:
            again = instance.activate(batch)
            if again != commands:
                raise Violation(
                    f"a replay differs: {[_said(c) for c in commands]} was recorded, {[_said(c) for c in again]} is replayed"
                )
        self.replays += bool(workflow.history)
        return instance

    def _complete(
        self, workflow: SimWorkflow, instance: Instance, batch: tuple[Event, ...], commands: tuple[Command, ...]
    ) -> None:
        if not workflow.running or workflow.instance is not instance:
            return
        workflow.activated = None
        if workflow.buffered and any(isinstance(command, Close) for command in commands):
            # The server refuses an end that has not seen everything; the task is made again with what came.
            workflow.instance = None
            workflow.buffered[:0] = batch
        else:
            workflow.history.append((batch, commands))
            for command in commands:
                self._obey(workflow, command)
        self._wake(workflow)

    def _obey(self, workflow: SimWorkflow, command: Command) -> None:
        match command:
            case Schedule():
                self.texts.append(str(command.message))
                step = workflow.steps[command.number] = SimStep(workflow, command)
                self._schedule(step)
            case Cancel(number=number):
                self._cancel(workflow.steps[number])
            case Close(how=how):
                # Whether it may rest is of no interest any more; the answer is dropped, as the server does.
                left = [s for s in workflow.steps.values() if not (s.done or s.abandoned or s.command.name == REST)]
                if left:
                    raise Violation(f"a run ended with steps in flight: {[_said(s.command) for s in left]}")
                workflow.instance = None
                if isinstance(how, Renew):
                    workflow.runs += 1
                    workflow.input = workflow.input.model_copy(update={"position": how.position})
                    for step in workflow.steps.values():
                        step.token = object()
                    workflow.history, workflow.steps, workflow.cancel_requested = [], {}, False
                    self._event(workflow, Started())
                else:
                    workflow.running = False

    # --- steps ---

    def _schedule(self, step: SimStep) -> None:
        self._world.happens(f"server: {step.command.name} may start", lambda: self._start(step))

    def _start(self, step: SimStep) -> None:
        if step.done or step.abandoned or not step.workflow.running:
            return
        worker = step.running_on = self._world.rng.choice(self.workers)
        token = step.token
        self._world.note(f"{worker.process.name} runs {_said(step.command)}, attempt {step.attempt}")
        self._world.runs(self._attempt(step, token, worker))
        if step.command.local:
            if self._world.chance("local_timeout"):
                self._world.happens("server: local timeout", lambda: self._time_out(step, token))
        elif self._world.chance("attempt_lost"):
            self._world.happens("server: heartbeat timeout", lambda: self._lose(step, token))

    async def _attempt(self, step: SimStep, token: object, worker: Worker) -> None:
        failure: FailureRecord | None = None
        result: Any = None
        try:
            result = await worker.run(step.command.message, step.command.name, attempt=step.attempt, signal=step.signal)
        except ApplicationError as error:
            if not error.non_retryable and not step.command.local:
                self._world.happens(f"{worker.process.name}: step is retried", lambda: self._lose(step, token))
                return
            failure = FailureRecord.model_validate(error.details[0])
        self._world.happens(
            f"{worker.process.name}: step reports",
            lambda: self._finish(step, token, StepDone(step.command.number, result=result, failure=failure)),
            worker.process,
        )

    def _finish(self, step: SimStep, token: object, done: StepDone) -> None:
        if step.token is token and not step.done and not step.abandoned and step.workflow.running:
            step.done = True
            self.texts.append(str(done.result))
            self._event(step.workflow, done)

    def _lose(self, step: SimStep, token: object) -> None:
        """The server hears no more of an attempt: another one starts, unless a cancel was asked for."""
        if step.token is not token or step.done or step.abandoned or not step.workflow.running:
            return
        step.token, step.running_on = object(), None
        if step.signal.is_set() and not step.command.local:
            # As the real server: what was asked to cancel is not tried again, and its loss is its failure.
            step.done = True
            lost = FailureRecord(class_path="simulated:Timeout", code=None, message="the attempt was lost")
            self._event(step.workflow, StepDone(step.command.number, failure=lost))
            return
        step.attempt += 1
        self._schedule(step)

    def _time_out(self, step: SimStep, token: object) -> None:
        if step.token is token and not step.done and step.workflow.running:
            step.done = True
            timed_out = FailureRecord(class_path="simulated:Timeout", code=None, message="a local activity took too long")
            self._event(step.workflow, StepDone(step.command.number, failure=timed_out))

    def _cancel(self, step: SimStep) -> None:
        if step.done or step.abandoned:
            return
        if not step.command.waits:
            step.abandoned = True
            step.signal.set("the execution was cancelled")
            self._event(step.workflow, StepDone(step.command.number, cancelled=True))
        elif step.running_on is None:
            step.done = True
            self._event(step.workflow, StepDone(step.command.number, cancelled=True))
        else:
            step.signal.set("the execution was cancelled")

    # --- workers ---

    def kill(self, worker: Worker) -> None:
        """A worker is gone, or so the server believes; another one takes its place."""
        zombie = self._world.rng.random() < self._world.weather.zombies
        worker.process.alive = zombie
        self.workers[self.workers.index(worker)] = self._new_worker()
        for workflow in self.workflows.values():
            if workflow.worker is worker and workflow.instance is not None:
                workflow.instance = None
                if workflow.activated is not None:
                    workflow.buffered[:0] = workflow.activated
                    workflow.activated = None
                self._wake(workflow)
            for step in list(workflow.steps.values()):
                if step.running_on is worker and not step.done:
                    self._lose(step, step.token)

    def moving_steps(self, workflow: SimWorkflow) -> list[Schedule]:
        """Steps in flight, and those whose result is on its way. The question whether it may rest is not one of them, nor
        an ``ask`` in which that question rides."""
        under_way = {e.number for e in (*workflow.buffered, *(workflow.activated or ())) if isinstance(e, StepDone)}
        return [
            step.command
            for number, step in workflow.steps.items()
            if (not step.done or number in under_way) and not step.abandoned and not _asks_for_rest(step.command)
        ]


def _asks_for_rest(command: Schedule) -> bool:
    return command.name == REST or (isinstance(command.message, Ask) and command.message.rest is not None)


def _said(command: Command) -> str:
    match command:
        case Schedule():
            key = getattr(command.message, "step_key", "")[:6]
            return f"{command.number}:{command.name}{' local' if command.local else ''} {key}"
        case Cancel():
            return f"cancel {command.number}"
        case Close():
            return f"close {command.how}"


class SimGateway:
    """See ``Gateway``: one process's way to the server."""

    def __init__(self, world: World, temporal: SimTemporal, process: Process) -> None:
        self._world = world
        self._temporal = temporal
        self._process = process

    async def start(self, workflow: str, workflow_id: WorkflowId, input: ExecutionInput) -> None:
        await self._called("start", lambda: self._temporal.start(workflow_id, input))

    async def look(self, workflow_id: WorkflowId, key: PauseKey) -> bool:
        found: bool = await self._called("look", lambda: self._temporal.signal(workflow_id, key))
        return found

    async def cancel(self, workflow_id: WorkflowId) -> bool:
        found: bool = await self._called("cancel", lambda: self._temporal.cancel(workflow_id))
        return found

    async def state(self, workflow_id: WorkflowId) -> WorkflowState:
        state: WorkflowState = await self._called("state", lambda: self._temporal.state(workflow_id))
        return state

    async def start_reading(self, workflow_id: WorkflowId, step: Read) -> None:
        raise NotImplementedError("the simulation has no interpreters")

    async def reading_result(self, workflow_id: WorkflowId) -> ReadResult:
        raise NotImplementedError("the simulation has no interpreters")

    async def _called(self, what: str, call: Callable[[], Any]) -> Any:
        await self._world.gate(f"{self._process.name}: {what}", self._process)
        if self._world.chance("temporal_away"):
            raise TemporalUnavailableError("simulated: away")
        result = call()
        if self._world.chance("temporal_away"):
            raise TemporalUnavailableError("simulated: the answer got lost")
        await self._world.gate(f"{self._process.name}: after {what}", self._process)
        return result
