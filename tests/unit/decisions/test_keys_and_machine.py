"""Names made from what they name, and the pause machine."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from agboss.channels.visible_text import visible
from agboss.decisions.keys import step_key, turn_key, under, workflow_id
from agboss.decisions.pause_machine import TRANSITIONS, PauseEvent, after
from agboss.domain.ids import ExecutionId, Path
from agboss.domain.pauses import PauseStatus

names = st.text(min_size=1, max_size=200)
ROOT = ExecutionId("0" * 32)


@given(st.tuples(names, names), st.tuples(names, names))
def test_workflow_ids_never_meet(one: tuple[str, str], other: tuple[str, str]) -> None:
    """No choice of tenant and thread reaches another's workflow id, and none is too long."""
    ids = [workflow_id("office", tenant, thread, ROOT) for tenant, thread in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)
    assert all(len(made) < 400 and made.isascii() for made in ids)


def test_a_step_key_serves_one_step_and_its_arguments() -> None:
    """S145: another execution, turn, position, tool or argument is another key; the order of arguments is none."""
    turn = turn_key(ROOT, "a", 0, Path("a.0"), None, 0)
    other = turn_key(ROOT, "a", 0, Path("a.0"), None, 1)
    keys = [
        step_key(turn, 0, "pay-tool", {"amount": 1, "to": "x"}),
        step_key(other, 0, "pay-tool", {"amount": 1, "to": "x"}),
        step_key(turn, 1, "pay-tool", {"amount": 1, "to": "x"}),
        step_key(turn, 0, "pay-tool", {"amount": 2, "to": "x"}),
        step_key(turn, 0, "pay-tool", {"amount": "1", "to": "x"}),
    ]
    assert len(set(keys)) == len(keys)
    assert step_key(turn, 0, "pay-tool", {"to": "x", "amount": 1}) == keys[0]


def test_a_place_is_under_its_own_branch_only() -> None:
    """A fence over a branch covers it and what is below, not a branch whose name begins alike."""
    assert under("a/b", "")
    assert under("a/b", "a")
    assert under("a", "a")
    assert not under("ab", "a")
    assert not under("a", "a/b")


def test_the_machine_has_six_changes_and_no_way_back() -> None:
    """S151: final statuses have no way out, nothing leads back to PENDING, and every other pair is no change."""
    changes = {pair: after(*pair) for pair in itertools.product(PauseStatus, PauseEvent)}
    assert {pair: status for pair, status in changes.items() if status} == TRANSITIONS
    assert len(TRANSITIONS) == 6
    assert PauseStatus.PENDING not in TRANSITIONS.values()
    assert not any(status in (PauseStatus.TAKEN, PauseStatus.CANCELLED) for status, _ in TRANSITIONS)


@given(st.text(max_size=100), st.text(max_size=100))
def test_nothing_hidden_reaches_a_terminal(one: str, other: str) -> None:
    """Every shown character is visible, and two different texts never look the same."""
    assert all(character.isprintable() for character in visible(one))
    assert (visible(one) == visible(other)) == (one == other)


def test_a_cut_value_says_so() -> None:
    """What is cut is told, with how much."""
    assert visible("x" * 510) == "x" * 500 + "⟨… 10 more characters⟩"
