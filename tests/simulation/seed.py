"""One seed: a small company's day. People start, answer and cancel, things break, and in the end all is well."""

import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from agboss import ChannelAsk, ExecutionStatus, StartText
from agboss.app import App
from agboss.assembly.assembled import Assembled
from agboss.errors import (
    IndexUnavailableError,
    NotPausedError,
    RunError,
    StepFailedError,
    TemporalUnavailableError,
    ThreadBusyError,
    UnknownPauseError,
)
from agboss.events.outbox import Outbox
from agboss.recovery.sweep import Sweep
from agboss.stores.memory import InMemoryPauseIndex
from agboss.stores.rows import HolderRow, PauseRow, TreeRow
from agboss.stores.sqlite.index import SqlitePauseIndex
from tests.rig import ClerkWorkflow, Told, TwoAgentsWorkflow, script
from tests.simulation.index import GatedIndex
from tests.simulation.invariants import Checker, Tables
from tests.simulation.office import open_desk, script_of
from tests.simulation.temporal import SimGateway, SimTemporal
from tests.simulation.worker import SimUserCode, Worker
from tests.simulation.world import Counts, Process, Violation, Weather, World

STORM = 1_500
"""Things that happen before the faults stop."""
ROUNDS = 60
"""Rounds of sweeping and answering in which everything has to end."""


@dataclass(slots=True)
class Answered:
    """One attempt to answer that was told it won."""

    pause_id: str
    by: str
    approved: bool


class Seed:
    """Everything that one seed makes."""

    def __init__(self, world: World, index: Any, office: Assembled, told: Told) -> None:
        self.world = world
        self._index = index
        self._office = office
        self._told = told
        self._tables = Tables(index)
        self.checker = Checker(world, self._tables)
        self._processes = 0
        self.temporal = SimTemporal(world, self._worker, workers=2)
        self.desk = open_desk(
            world, told, asked=self._asked, ran=self.checker.ran, answers=self._answer_within, heard=self.checker.heard
        )
        self.checker.temporal, self.checker.desk = self.temporal, self.desk
        self._won: list[Answered] = []
        self._cancelled: set[str] = set()
        """Threads whose caller was told "cancelled"."""
        self._open: set[Process] = set()
        """Clients that are alive and have not had their answer."""
        self._storming = True

    # --- processes ---

    def _gated(self, process: Process) -> Any:
        return GatedIndex(self.world, self._index, process, self.checker.committed)

    def _process(self, kind: str) -> Process:
        self._processes += 1
        return Process(f"{kind}{self._processes}")

    def _worker(self) -> Worker:
        process = self._process("worker")
        return Worker(self.world, self._gated(process), self._office, process)

    def _app(self, process: Process) -> App:
        gateway = SimGateway(self.world, self.temporal, process)
        return App(self._office, self._gated(process), gateway, self._sweep(process), self.world)

    def _sweep(self, process: Process) -> Sweep:
        withdraws = Worker(self.world, self._gated(process), self._office, process).withdraws
        gateway = SimGateway(self.world, self.temporal, process)
        return Sweep(self._gated(process), gateway, withdraws, self.world, retention=self.world.weather.retention)

    # --- people ---

    def _client(self, work: Any, process: Process) -> None:
        self._open.add(process)

        async def lives() -> None:
            if self.world.chance("client_killed"):
                # At a gate of its own choice: what it began is for others to finish.
                self.world.happens(f"{process.name} is killed", lambda: self._kill_client(process))
            await work
            self._open.discard(process)

        self.world.runs(lives())

    def _kill_client(self, process: Process) -> None:
        process.alive = False
        self._open.discard(process)

    def start(self, thread: str) -> None:
        """Somebody starts an execution."""
        rng = self.world.rng
        process = self._process("starter")
        turns = script_of(rng)
        flow: Any = rng.choice((ClerkWorkflow, ClerkWorkflow, TwoAgentsWorkflow))
        if flow is TwoAgentsWorkflow:
            # Its first agent can only pay, and has three turns.
            turns = [[call for call in turn if call[0] == "pay-tool"] or [["pay-tool", {"amount": 7}]] for turn in turns[:1]]
            turns.append("paid")

        async def works() -> None:
            await self.world.gate(f"{process.name}: begins", process)
            try:
                result = await self._app(process).execute(
                    flow,
                    StartText(text=script(*turns)),
                    thread_id=thread,
                    tenant_id="acme",
                    owner_id="customer-1",
                    wait=rng.random() < 0.8,
                )
            except (ThreadBusyError, TemporalUnavailableError, IndexUnavailableError):
                return
            except (RunError, StepFailedError):
                # It was cancelled, terminated, or failed.
                return
            if result.status is ExecutionStatus.PAUSED:
                self.world.holds(bool(result.pending), "a paused result lists what waits")
            if result.status is ExecutionStatus.FINISHED:
                finished = [tree.outcome for tree in self._tables.all(TreeRow) if tree.root == result.execution_id]
                self.world.holds(finished == ["finished"], "what is told finished is finished")

        self._client(works(), process)

    def _asked(self, pause_id: str, ask: ChannelAsk[Any]) -> None:
        """A question was seen: nobody, somebody or several answer it at some time."""
        if not self._storming:
            return
        for _ in range(self.world.rng.choice((0, 1, 1, 1, 2, 3))):
            process = self._process("manager")
            self._client(self._answers(process, pause_id, ask, wait=self.world.rng.random() < 0.5), process)

    async def _answers(self, process: Process, pause_id: str, ask: ChannelAsk[Any], *, wait: bool) -> None:
        for _ in range(self.world.rng.choice((1, 1, 3, 30))):
            await self.world.gate(f"{process.name}: thinks", process)
        await self._answer(process, pause_id, ask, wait=wait)

    async def _answer_within(self, process: Process, pause_id: str, ask: ChannelAsk[Any]) -> None:
        """A channel that answers before its ``send`` returns."""
        await self._answer(process, pause_id, ask, wait=False)

    async def _answer(self, process: Process, pause_id: str, ask: ChannelAsk[Any], *, wait: bool) -> None:
        rng = self.world.rng
        approved = rng.random() < 0.6
        decision: dict[str, Any] = {"approved": approved}
        if approved and rng.random() < 0.3:
            changed = {"amount": 999} if ask.value.tool == "pay-tool" else {"text": "another text"}
            decision["override_arguments"] = {**changed}
        by = f"{process.name}-{rng.randrange(1000)}"
        who: dict[str, str] = {"answered_by": by} if ask.value.tool == "pay-tool" else {"owner_id": "customer-1"}
        app = self._app(process)
        if rng.random() < 0.1:
            await self._stranger(app, pause_id, decision, who)
        try:
            result = await app.resume(pause_id, decision=decision, tenant_id="acme", wait=wait, **who)
        except (NotPausedError, IndexUnavailableError):
            return
        except UnknownPauseError:
            # Past retention; before that it is a fault.
            self.world.holds(not self._is_open(pause_id), "an open pause is known")
            return
        except (StepFailedError, RunError) as error:
            # The answer won, and the execution ended badly.
            self.world.note(f"{process.name} won, and then {error!r}")
            self._won.append(Answered(pause_id, by if "answered_by" in who else "customer-1", approved))
            return
        self._won.append(Answered(pause_id, by if "answered_by" in who else "customer-1", approved))
        if result.status is ExecutionStatus.PAUSED:
            self.world.holds(bool(result.pending), "a paused result lists what waits")
            again = [entry for entry in result.pending if entry.pause_id == pause_id]
            self.world.holds(not again, "an answered pause doesn't wait any more")

    async def _stranger(self, app: App, pause_id: str, decision: dict[str, Any], who: dict[str, str]) -> None:
        """Another tenant that knows the id learns nothing and changes nothing."""
        try:
            await app.resume(pause_id, decision=decision, tenant_id="other", wait=False, **who)
        except (UnknownPauseError, IndexUnavailableError):
            return
        raise Violation("another tenant answered")

    def cancel(self, thread: str) -> None:
        """Somebody cancels at some time."""
        process = self._process("canceller")

        async def works() -> None:
            for _ in range(self.world.rng.choice((10, 50, 200))):
                await self.world.gate(f"{process.name}: thinks", process)
            try:
                result = await self._app(process).cancel(thread, tenant_id="acme", cancelled_by="operator-1")
            except IndexUnavailableError:
                return
            if result.cancelled:
                self._cancelled.add(thread)

        self._client(works(), process)

    def sweep(self) -> None:
        """A sweeper that wakes up at some time, and may be killed."""
        process = self._process("sweep")

        async def works() -> None:
            await self.world.gate(f"{process.name}: begins", process)
            with suppress(IndexUnavailableError):
                await self._sweep(process).once(lease_seconds=30)

        self._client(works(), process)

    # --- the day ---

    def run(self) -> None:
        """The storm, then the calm, then the reckoning."""
        rng = self.world.rng
        threads = [f"thread-{number}" for number in range(rng.choice((1, 1, 2)))]
        for thread in threads:
            for _ in range(rng.choice((1, 1, 2))):
                self.start(thread)
            if rng.random() < 0.3:
                self.cancel(thread)
        for _ in range(STORM):
            if not self.world.step():
                break
            self._strike()
        self.world.weather = self.world.weather.calm()
        self._storming = False
        self._calm()
        self._reckon()

    def _strike(self) -> None:
        world, temporal = self.world, self.temporal
        if world.chance("worker_killed"):
            temporal.kill(world.rng.choice(temporal.workers))
        running = [workflow for workflow in temporal.workflows.values() if workflow.running]
        if running and world.chance("terminated"):
            temporal.terminate(world.rng.choice(running).id)
        if running and world.chance("cancelled_in_ui"):
            temporal.cancel(world.rng.choice(running).id)
        if world.rng.random() < 0.005:
            self.sweep()

    def _calm(self) -> None:
        """Sweeps and answers, until every tree has ended."""
        for _ in range(ROUNDS):
            self._until_idle()
            if not any(tree.status == "live" for tree in self._tables.all(TreeRow)) and not self._owed():
                return
            self.world.advance(130.0)
            self.sweep()
            self._until_idle()
            self._check_rested()
            self._answer_one()
        raise Violation("not everything ends")

    def _until_idle(self) -> None:
        for _ in range(20_000):
            if not self.world.step():
                return
        raise Violation("something runs for ever")

    def _owed(self) -> bool:
        return any(pause.withdraw in ("owed", "claimed") for pause in self._tables.all(PauseRow))

    def _check_rested(self) -> None:
        """After a sweep and with nothing under way, whatever lives rests."""
        for tree in self._tables.all(TreeRow):
            if tree.status == "live" and not tree.at_rest:
                holders = [(h.id, h.state, h.motion) for h in self._tables.all(HolderRow) if h.root == tree.root]
                pauses = [(p.status, p.nudge_at) for p in self._tables.all(PauseRow) if p.root == tree.root]
                late = any(nudge is not None for _, nudge in pauses)
                self.world.holds(late, f"no rest is missed: {holders}, {pauses}")

    def _answer_one(self) -> None:
        waiting = [pause for pause in self._tables.all(PauseRow) if pause.status == "pending"]
        if not waiting:
            return
        pause = self.world.rng.choice(waiting)
        ask = self.desk.ask(pause.id)
        process = self._process("manager")
        if ask is None:
            # Its send was never finished by anybody: it is asked again or taken back, not answered.
            return
        self._client(self._answer(process, pause.id, ask, wait=True), process)

    def _reckon(self) -> None:
        self.world.advance(1_000.0)
        self._until_idle()
        self.world.holds(not self._open, f"who waits is answered; {[p.name for p in self._open]} still wait")
        self._deliver()
        self.checker.ended(self._kinds)
        self._count()
        winners: dict[str, Answered] = {}
        for answered in self._won:
            self.world.holds(answered.pause_id not in winners, "one answer wins")
            winners[answered.pause_id] = answered
        for pause in self.checker.ever.values():
            winner = winners.get(pause.id)
            if winner is not None:
                self.world.holds(pause.responder == winner.by, "the record says who answered")
                self.world.holds(json.loads(pause.decision or "{}")["approved"] == winner.approved, "and what")
        for tree in self._tables.all(TreeRow):
            if tree.thread in self._cancelled and tree.outcome == "finished":
                cancelled = [t for t in self._tables.all(TreeRow) if t.thread == tree.thread and t.outcome == "cancelled"]
                self.world.holds(bool(cancelled), "who cancelled finds something cancelled")

    def _count(self) -> None:
        counts = self.world.counts
        counts.saw("replays", self.temporal.replays)
        counts.saw("runs continued as new", sum(workflow.runs - 1 for workflow in self.temporal.workflows.values()))
        for tree in self._tables.all(TreeRow):
            counts.saw(f"executions {tree.outcome}")
            counts.saw("rests", tree.rest_no)
        for pause in self.checker.ever.values():
            counts.saw(f"pauses {pause.status}, {pause.resolution}")
        counts.saw("tools ran", len(self.desk.effects))
        counts.saw("questions taken back", sum(question.told for question in self.desk.questions.values()))
        counts.saw("answers told", sum(question.answered for question in self.desk.questions.values()))
        told = [p for p in self.checker.ever.values() if p.resolution == "decided" and p.decided_by]
        counts.saw("questions that one of two channels decided", len(told))

    def _deliver(self) -> None:
        process = self._process("outbox")
        user_code: Any = SimUserCode(self.world, process)
        outbox = Outbox(self._gated(process), self._office.observers, user_code)

        async def works() -> None:
            while await outbox.deliver():
                pass

        self.world.runs(works())
        self._until_idle()

    def _kinds(self, root: str) -> list[str]:
        return [event.kind for event in self._told.events if event.execution_id == root]

    def _is_open(self, pause_id: str) -> bool:
        return any(p.id == pause_id and p.status == "pending" for p in self._tables.all(PauseRow))


@contextmanager
def seeded_secrets(world: World) -> Iterator[None]:
    """Ids come from the seed, so that it replays."""
    real = secrets.token_hex
    secrets.token_hex = lambda nbytes=16: f"{world.rng.getrandbits(8 * (nbytes or 16)):0{2 * (nbytes or 16)}x}"
    try:
        yield
    finally:
        secrets.token_hex = real


def run_seed(
    number: int,
    office: Assembled,
    told: Told,
    index_of: "Callable[[World], SqlitePauseIndex] | None" = None,
    *,
    weather: Weather | None = None,
    tracing: bool = False,
) -> Counts:
    """Run one seed, on a twin unless ``index_of`` makes another index, in its own weather unless one is given.

    Raises:
        Violation: with the trace in its notes where that was asked for.
    """
    world = World(number, weather=weather, tracing=tracing)
    with seeded_secrets(world):
        index = InMemoryPauseIndex(clock=world) if index_of is None else index_of(world)
        seed = Seed(world, index, office, told)
        try:
            seed.run()
        except Exception as error:
            if world.trace is not None:
                error.add_note("\n".join(world.trace))
            error.add_note(f"seed {number}; run it again: python -m tests.simulation --seed {number}")
            raise
        finally:
            world.runs(index.close())
            world.loop.drain()
    return world.counts
