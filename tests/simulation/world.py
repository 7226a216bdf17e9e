"""One simulated world: everything that can happen next waits in one list, and a seeded hand picks.

A *process* is whatever dies at once: a worker, a facade, a sweeper. A *gate* is a point at which a process may be delayed,
overtaken or killed; there is one before and after every transaction, call to Temporal and piece of user code.
"""

import asyncio
import random
from collections.abc import Callable, Coroutine
from contextvars import Context
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.simulation.loops import SimLoop

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)


class Violation(AssertionError):
    """An invariant doesn't hold."""


@dataclass(frozen=True, slots=True)
class Weather:
    """How likely each fault is at each chance it has, and what a seed's executions are like."""

    worker_killed: float = 0.0
    evicted: float = 0.0
    attempt_lost: float = 0.0
    zombies: float = 0.5
    """Of the attempts that are lost: those that run on, unseen."""
    temporal_away: float = 0.0
    index_away: float = 0.0
    client_killed: float = 0.0
    local_timeout: float = 0.0
    user_timeout: float = 0.0
    send_raises: float = 0.0
    send_decides: float = 0.0
    send_answers: float = 0.0
    model_away: float = 0.0
    model_rejects: float = 0.0
    tool_raises: float = 0.0
    clock_jumps: float = 0.0
    delayed: float = 0.0
    """A process that freezes, a message that takes its time: it happens long after everything around it."""
    terminated: float = 0.0
    cancelled_in_ui: float = 0.0
    renews_after: int = 10_000
    retention: timedelta = timedelta(hours=24)

    @classmethod
    def of(cls, rng: random.Random) -> "Weather":
        """A seed's weather: each fault is absent, rare or frequent."""

        wild = rng.random() < 0.2

        def chance(frequent: float) -> float:
            return min(0.7, rng.choice((0.0, 0.0, frequent / 5, frequent, 8 * frequent if wild else 0.0)))

        return cls(
            worker_killed=chance(0.03),
            evicted=chance(0.1),
            attempt_lost=chance(0.1),
            zombies=rng.random(),
            temporal_away=chance(0.2),
            index_away=chance(0.05),
            client_killed=chance(0.1),
            local_timeout=chance(0.1),
            user_timeout=chance(0.1),
            send_raises=chance(0.1),
            send_decides=chance(0.3),
            send_answers=chance(0.3),
            model_away=chance(0.1),
            model_rejects=chance(0.05),
            tool_raises=chance(0.1),
            clock_jumps=chance(0.02),
            delayed=chance(0.03),
            terminated=chance(0.004),
            cancelled_in_ui=chance(0.01),
            renews_after=rng.choice((16, 30, 10_000)),
            retention=rng.choice((timedelta(hours=24), timedelta(minutes=2))),
        )

    def calm(self) -> "Weather":
        """The same seed without any fault."""
        return Weather(renews_after=self.renews_after, retention=self.retention)


@dataclass(slots=True, eq=False)
class Process:
    """Whatever dies at once."""

    name: str
    alive: bool = True


@dataclass(slots=True)
class Happening:
    """Something that can happen next."""

    label: str
    do: Callable[[], None]
    process: Process | None = None


@dataclass(slots=True)
class Counts:
    """What the report tells."""

    picks: int = 0
    commits: int = 0
    checks: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    """What became of the executions and questions."""

    def fault(self, name: str) -> None:
        self.faults[name] = self.faults.get(name, 0) + 1

    def saw(self, what: str, times: int = 1) -> None:
        self.seen[what] = self.seen.get(what, 0) + times

    def add(self, other: "Counts") -> None:
        """Take in another seed's."""
        self.picks += other.picks
        self.commits += other.commits
        self.checks += other.checks
        for name, times in other.faults.items():
            self.faults[name] = self.faults.get(name, 0) + times
        for what, times in other.seen.items():
            self.saw(what, times)


class World:
    """The seeded hand, the clock, and the loop on which everything but workflows runs."""

    def __init__(self, seed: int, *, weather: Weather | None = None, tracing: bool = False) -> None:
        self.rng = random.Random(seed)
        self.weather = weather or Weather.of(self.rng)
        self.seconds = 0.0
        self.loop = SimLoop(lambda: self.seconds)
        self.counts = Counts()
        self.trace: list[str] | None = [] if tracing else None
        self.violation: Violation | None = None
        """The first one: user code's and activities' own handlers must not hide it."""
        self._next: list[Happening] = []
        self._later: list[tuple[int, Happening]] = []

    # --- time ---

    def now(self) -> datetime:
        """The application's clock."""
        return EPOCH + timedelta(seconds=self.seconds)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds
        self.loop.ring()
        self.loop.drain()

    # --- what happens next ---

    def happens(self, label: str, do: Callable[[], None], process: Process | None = None) -> None:
        """It can happen from now on."""
        self._next.append(Happening(label, do, process))

    async def gate(self, label: str, process: Process) -> None:
        """Wait until the hand picks this; for ever where the process has died."""
        turn = self.loop.create_future()
        self.happens(label, lambda: turn.done() or turn.set_result(None), process)
        await turn

    def runs(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Start a task, in a context of its own: a person is no part of the ``send`` that asked."""
        return self.loop.create_task(work, context=Context())

    def step(self) -> bool:
        """Let one thing happen; False where nothing can."""
        self.loop.drain()
        self._release()
        while self._next:
            place = self.rng.randrange(len(self._next))
            self._next[place], self._next[-1] = self._next[-1], self._next[place]
            chosen = self._next.pop()
            if chosen.process is not None and not chosen.process.alive:
                continue
            self.counts.picks += 1
            if self.chance("delayed"):
                self._later.append((self.counts.picks + self.rng.choice((20, 100, 300)), chosen))
                return True
            self.seconds += 0.001
            if self.trace is not None:
                self.trace.append(f"{self.seconds:9.3f} {chosen.label}")
            if self.chance("clock_jumps"):
                self.advance(self.rng.choice((5.0, 31.0, 61.0, 130.0, 400.0)))
            chosen.do()
            self.loop.drain()
            if self.violation is not None:
                raise self.violation
            if self.loop.errors:
                raise self.loop.errors[0]
            return True
        return False

    def _release(self) -> None:
        """What was delayed happens at its time, or when nothing else can."""
        due = [late for when, late in self._later if when <= self.counts.picks]
        if due or not self._next:
            due = due or [late for _, late in self._later]
            self._later = [(when, late) for when, late in self._later if not any(late is one for one in due)]
            self._next.extend(due)

    def note(self, text: str) -> None:
        """A line of the trace."""
        if self.trace is not None:
            self.trace.append(f"{self.seconds:9.3f}   {text}")

    def holds(self, true: bool, what: str) -> None:
        """Check an invariant.

        Raises:
            Violation: it doesn't hold.
        """
        self.counts.checks += 1
        if not true:
            self.violation = self.violation or Violation(what)
            raise self.violation

    # --- faults ---

    def chance(self, fault: str) -> bool:
        """Whether the fault strikes now; counted."""
        likely: float = getattr(self.weather, fault)
        if likely and self.rng.random() < likely:
            self.counts.fault(fault)
            self.note(f"! {fault}")
            return True
        return False
