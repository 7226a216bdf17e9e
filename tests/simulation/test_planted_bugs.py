"""The simulation is worth something: each of T1 to T7, the workflow's own rules, the steps and the sweep, broken on purpose,
is found within a few hundred seeds."""

import itertools
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from agboss.decisions import rests as judging
from agboss.domain.rests import RestAnswer
from agboss.recovery.sweep import Sweep
from agboss.temporal.activities import send
from agboss.temporal.activities.withdraw import Withdraws
from agboss.temporal.workflow import holder
from agboss.temporal.workflow.agent_loop import AgentLoop
from agboss.temporal.workflow.flow import Flow
from agboss.temporal.workflow.holder import Handle, Holder
from agboss.temporal.workflow.notices import Notices
from agboss.temporal.workflow.scope import Scope
from tests.simulation.report import Runner
from tests.simulation.world import Weather
from tests.stores.test_planted_bugs import PLANTS

Plant = Callable[[pytest.MonkeyPatch], None]

UNSEEN = {
    "T0: a busy thread isn't seen": "breaks the store's own query; the suite for stores has it",
    "T2: a closed answer is taken": "`take` looks at the status itself before it asks the table",
    "T3: an expired step is asked again": "needs a worker frozen for longer than retention; the suite for stores has it",
    "T3: equal ids": "ids come from the seed here",
    "T3': a report counts twice": "an attempt reports once here: what fails after its commit is a new attempt",
    "T4: open records stay": "whatever ends a linear flow with questions open puts a fence first",
    "T4: the parent isn't moved": "there are no children yet",
    "holder: motions aren't taken in": "a rest refused for its motion brings the motion",
    "holder: a look before the wait is forgotten": "the rest is refused with the keys of what is answered",
    "agent: a failed step takes nothing back": "its flow fails with it, and its end closes the questions as cancelled",
    "T7: fences don't matter": "a fence moves whom it covers, so the motion is refused already",
}
"""Planted bugs that these executions can't meet, and why."""


async def _nothing(*_: Any, **__: Any) -> None:
    return None


def _came_without_motion(self: Holder, motion: int | None = None) -> None:
    self._events += 1


def _look_is_forgotten(self: Handle) -> None:
    if self.waiter is not None and not self.waiter.done():
        self.waiter.set_result(None)


def _judge_accepts(answer: RestAnswer, *, something_came: bool, waiting: Any) -> Any:
    return judging.Rested()


def _judge_forgets_keys(answer: RestAnswer, *, something_came: bool, waiting: Any) -> Any:
    return judging.judge(answer, something_came=something_came, waiting=())


def _rests_while_stopping(self: Holder) -> bool:
    return self.moving == 0 and self._waiting > 0 and not self.stopped and not self.renewing


def _rests_while_moving(self: Holder) -> bool:
    return self._waiting > 0 and not self.stopping and not self.stopped and not self.renewing


async def _cancelled_without_a_word(self: Flow) -> None:
    self._cancelled = True
    self._holder.stop()


def _stops_in_any_order(self: Scope) -> None:
    if not self.stopped:
        self.stopped = True
        self._holder.stopping += 1
        turn = next(_TURNS) % 2
        for task in self._tasks[:: 1 if turn else -1]:
            task.cancel()
        self._notify()


_TURNS = itertools.count()


async def _told_without_a_claim(
    self: Withdraws, step_key: Any, *, timeout_seconds: float, signal: Any, attempt: int = 1, force: bool = False
) -> bool:
    claim = await self._index.claim_withdraw(step_key, lease_seconds=0.0, force=True)
    if claim is not None:
        await self._tell_all(claim, signal, attempt)
    return False


async def _told_and_not_marked(
    self: Withdraws, step_key: Any, *, timeout_seconds: float, signal: Any, attempt: int = 1, force: bool = False
) -> bool:
    claim = await self._index.claim_withdraw(step_key, lease_seconds=timeout_seconds, force=force)
    if claim is not None:
        await self._tell_all(claim, signal, attempt)
        if claim.answer is None:
            await self._index.withdraw_told(step_key, claim.claim)
    return claim is not None


async def _tells_the_first_alone(self: Withdraws, claim: Any, signal: Any, attempt: int) -> None:
    await self._tell_one(claim, claim.implementations[0], signal, attempt)


WORKFLOW_PLANTS: dict[str, Plant] = {
    "notices: a run leaves them behind": lambda patch: patch.setattr(Notices, "ended", _nothing),
    "notices: an answer's is never marked told": lambda patch: patch.setattr(Withdraws, "tell", _told_and_not_marked),
    "notices: one of several channels is told": lambda patch: patch.setattr(Withdraws, "_tell_all", _tells_the_first_alone),
    "sends: who decided is told too": lambda patch: patch.setattr(send._One, "has_asked", True),
    "holder: motions aren't taken in": lambda patch: patch.setattr(Holder, "came", _came_without_motion),
    "holder: a look before the wait is forgotten": lambda patch: patch.setattr(Handle, "look", _look_is_forgotten),
    "holder: every rest is believed": lambda patch: patch.setattr(holder, "judge", _judge_accepts),
    "holder: refused rests' keys are ignored": lambda patch: patch.setattr(holder, "judge", _judge_forgets_keys),
    "holder: rests while it stops others": lambda patch: patch.setattr(Holder, "_may_rest", _rests_while_stopping),
    "holder: rests while it moves": lambda patch: patch.setattr(Holder, "_may_rest", _rests_while_moving),
    "flow: a cancel isn't told to the index": lambda patch: patch.setattr(Flow, "_cancel", _cancelled_without_a_word),
    "scope: stops in an order of its own": lambda patch: patch.setattr(Scope, "stop", _stops_in_any_order),
    "agent: a failed step takes nothing back": lambda patch: patch.setattr(AgentLoop, "_take_back", _nothing),
    "withdraw: told again and again": lambda patch: patch.setattr(Withdraws, "tell", _told_without_a_claim),
    "sweep: answers aren't signalled again": lambda patch: patch.setattr(Sweep, "_nudge", _nothing),
    "sweep: lost holders aren't looked for": lambda patch: patch.setattr(Sweep, "_find_lost", _nothing),
    "sweep: nothing is taken back": lambda patch: patch.setattr(Sweep, "_take_back", _nothing),
}


ALL = {name: plant for name, plant in (PLANTS | WORKFLOW_PLANTS).items() if name not in UNSEEN}

_FROZEN = Weather(local_timeout=0.5, delayed=0.2, zombies=1.0)
_FORGETFUL = Weather(
    attempt_lost=0.5, delayed=0.2, zombies=1.0, clock_jumps=0.05, retention=timedelta(minutes=2), send_raises=0.1
)
_CANCELLED = Weather(cancelled_in_ui=0.05, delayed=0.05)
FOCUS = {
    "T2: the movement isn't counted": _FROZEN,
    "T7: any motion is believed": _FROZEN,
    "T3': never owed again": _FORGETFUL,
    "T5: the motion isn't raised": _CANCELLED,
    "holder: rests while it stops others": _CANCELLED,
    "flow: a cancel isn't told to the index": _CANCELLED,
}
"""The weather in which a bug shows soon, where it is rare in all weathers together."""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("bug", ALL)
def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With this fault some invariant is broken."""
    ALL[bug](monkeypatch)
    runner = Runner()
    try:
        report = runner.run(range(5_000), weather=FOCUS.get(bug))
    finally:
        runner.close()
    assert report.failed, "\n".join(report.lines())


@pytest.mark.parametrize("weather", [_FROZEN, _FORGETFUL, _CANCELLED])
def test_without_a_bug_each_weather_holds(weather: Weather) -> None:
    """What is found above is the bug and not the weather."""
    runner = Runner()
    try:
        report = runner.run(range(300), weather=weather)
    finally:
        runner.close()
    assert not report.failed, "\n".join(report.lines())
