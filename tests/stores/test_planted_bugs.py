"""The suite is worth something: each of T0 to T7, broken on purpose, is noticed, and unbroken it passes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agboss.decisions import pause_machine
from agboss.decisions.pause_machine import PauseEvent
from agboss.domain.ids import StepKey
from agboss.domain.pauses import PauseStatus
from agboss.ports.clock import Clock
from agboss.ports.pause_index import PauseIndex
from agboss.stores.memory import InMemoryPauseIndex
from agboss.stores.rows import CallRow, HolderRow, PauseRow, equals
from agboss.stores.transactions import journal, pauses, rests, rules, trees, upkeep, withdraws
from agboss.stores.transactions.unit import from_json
from agboss.testing.index_suite import PauseIndexSuite, failures

Plant = Callable[[pytest.MonkeyPatch], None]


class _Twin(PauseIndexSuite):
    async def make(self, clock: Clock) -> PauseIndex:
        return InMemoryPauseIndex(clock=clock)


def _everywhere(name: str, broken: Any) -> Plant:
    """Replace a rule wherever a transaction uses it."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        for module in (journal, pauses, rests, rules, trees, upkeep, withdraws):
            if hasattr(module, name):
                patch.setattr(module, name, broken)

    return plant


def _cell(status: PauseStatus, event: PauseEvent, after: PauseStatus | None) -> Plant:
    """Change one cell of the pause machine's table, or clear it."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        if after is None:
            patch.delitem(pause_machine.TRANSITIONS, (status, event))
        else:
            patch.setitem(pause_machine.TRANSITIONS, (status, event), after)

    return plant


def _moves_without_counting(unit: Any, tree: Any, holder: Any) -> None:
    if holder.state != "ended":
        holder.state = "moving"
        unit.rows.update(holder)
        tree.at_rest = False


def _moves_but_leaves_the_rest(unit: Any, tree: Any, holder: Any) -> None:
    if holder.state != "ended":
        holder.state = "moving"
        holder.motion += 1
        unit.rows.update(holder)


def _ends_without_closing(unit: Any, tree: Any, path: str, resolution: Any) -> None:
    for holder in unit.rows.select(HolderRow, equals(root=tree.root)):
        holder.state, holder.reaped = "ended", True
        unit.rows.update(holder)


def _closes_without_owing(unit: Any, pause: Any, resolution: Any) -> None:
    was = pause.status
    rules_close(unit, pause, resolution)
    if was == PauseStatus.PENDING:
        pause.withdraw = "none"
        unit.rows.update(pause)


def _forgets_overtaken_answers(unit: Any, pause: Any, resolution: Any) -> None:
    was = pause.status
    rules_close(unit, pause, resolution)
    if was == PauseStatus.RESOLVED:
        pause.withdraw = "none"
        unit.rows.update(pause)


rules_close = rules.close_record
pauses_settle = pauses.settle
rests_rest = rests.rest


def _sees_no_live_tree(**columns: Any) -> Any:
    return equals(**{**columns, "tenant": "nobody"})


def _settles_again(unit: Any, step_key: StepKey, result: str | None, failure: Any) -> Any:
    call = unit.rows.get(CallRow, step_key)
    if call is not None:
        call.result = call.failure = None
        unit.rows.update(call)
    return pauses_settle(unit, step_key, result, failure)


def _believes_any_motion(unit: Any, request: Any) -> Any:
    holder = unit.rows.get(HolderRow, request.ref.holder)
    return rests_rest(unit, request if holder is None else replace(request, motion=holder.motion))


def _forgets_what_was_reported(text: str | None) -> Any:
    value = from_json(text)
    return [] if isinstance(value, list) else value


def _owes_no_answer(unit: Any, resolve: Any) -> Any:
    resolved = pauses_resolve(unit, resolve)
    pause = unit.rows.get(PauseRow, resolve.step_key)
    pause.withdraw = "none"
    unit.rows.update(pause)
    return resolved


def _decides_silently(unit: Any, pause: Any, sent: Any) -> None:
    pauses_apply_sent(unit, pause, sent)
    if sent.outcome == "decided":
        pause.withdraw = "none"


pauses_resolve = pauses.resolve
pauses_apply_sent = pauses._apply_sent


PLANTS: dict[str, Plant] = {
    "T0: a busy thread isn't seen": lambda patch: patch.setattr(trees, "equals", _sees_no_live_tree),
    "T1: a second answer wins": _cell(PauseStatus.RESOLVED, PauseEvent.ANSWER, PauseStatus.RESOLVED),
    "T1: the holder isn't set moving": lambda patch: patch.setattr(pauses, "set_moving", lambda *_: None),
    "T1: no permanent entry": lambda patch: patch.setattr(pauses, "write_entry", lambda *_: None),
    "T1: no nudge": lambda patch: patch.setattr(pauses, "NUDGE_AFTER", 10**15),
    "T2: an answer stays untaken": _cell(PauseStatus.RESOLVED, PauseEvent.TAKE, None),
    "T2: a closed answer is taken": _cell(PauseStatus.CANCELLED, PauseEvent.TAKE, PauseStatus.TAKEN),
    "T2: the movement isn't counted": lambda patch: patch.setattr(pauses, "set_moving", _moves_without_counting),
    "T2': a second result replaces the first": lambda patch: patch.setattr(pauses, "settle", _settles_again),
    "T2, T3: no fence": lambda patch: patch.setattr(pauses, "stopped", lambda *_: False),
    "T3: an expired step is asked again": lambda patch: patch.setattr(pauses, "_fail_if_expired", lambda *_: None),
    "T3: equal ids": lambda patch: patch.setattr("secrets.token_hex", lambda _: "ab" * 16),
    "T3': no decision at once": _cell(PauseStatus.PENDING, PauseEvent.DECIDE, None),
    "T3': a failed send leaves its question": _cell(PauseStatus.PENDING, PauseEvent.FAIL_SEND, None),
    "T3': never owed again": lambda patch: patch.setattr(pauses, "_owe_again", lambda *_: None),
    "T3': a report counts twice": lambda patch: patch.setattr(pauses, "from_json", _forgets_what_was_reported),
    "T4: open records stay": lambda patch: patch.setattr(trees, "end_path", _ends_without_closing),
    "T4: the parent isn't moved": lambda patch: patch.setattr(trees, "parent_of", lambda *_: None),
    "T4: an untaken answer stays": _cell(PauseStatus.RESOLVED, PauseEvent.CLOSE, None),
    "T4, T6: nothing is owed": _everywhere("close_record", _closes_without_owing),
    "T4, T6: an overtaken answer isn't told": _everywhere("close_record", _forgets_overtaken_answers),
    "T5: the motion isn't raised": lambda patch: patch.setattr(trees, "set_moving", _moves_without_counting),
    "T6: no fence is put": lambda patch: patch.setattr(trees, "_fence", lambda *_: True),
    "T6: records stay open": lambda patch: patch.setattr(trees, "close_records", lambda *_: None),
    "T7: any motion is believed": lambda patch: patch.setattr(rests, "rest", _believes_any_motion),
    "T7: the tree never rests": lambda patch: patch.setattr(rests, "evaluate_rest", lambda *_: None),
    "T7: fences don't matter": lambda patch: patch.setattr(rests, "fenced", lambda *_: False),
    "*set moving*: still at rest": _everywhere("set_moving", _moves_but_leaves_the_rest),
    "T1: no notice is owed": lambda patch: patch.setattr(pauses, "resolve", _owes_no_answer),
    "T3': the other channels hear nothing": lambda patch: patch.setattr(pauses, "_apply_sent", _decides_silently),
    "T3': who raised is told all the same": lambda patch: patch.setattr(pauses, "_narrow", lambda *_: None),
    "notices: an answer is told as taken back": lambda patch: patch.setattr(withdraws, "is_answered", lambda _: False),
    "withdraw: anyone may claim": lambda patch: patch.setattr(withdraws, "_claimable", lambda *_, **__: True),
}


async def test_the_twin_passes() -> None:
    """Without a planted bug the suite finds nothing; so what it finds below is the bug."""
    assert await failures(_Twin()) == {}


@pytest.mark.parametrize("bug", PLANTS)
async def test_a_planted_bug_is_found(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store with this fault does not pass."""
    PLANTS[bug](monkeypatch)
    assert await failures(_Twin()) != {}
