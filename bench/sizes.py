"""How much is measured, in a full and in a quick run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Counts; a *gate* is one whole execution."""

    warm_up: int = 12
    """Gates a side that nobody times, before each kind of measurement."""
    one_at_a_time: int = 60
    """Timed gates a side."""
    answered_at_once: int = 40
    """The same, answered in the moment of asking."""
    rounds: int = 5
    """Of many at a time; a round is one stretch of each side."""
    gates_a_round: int = 96
    """Gates a side and round."""
    settled: int = 3
    """Gates a side whose histories are counted."""
    answers: int = 200
    """Single answers without the signal."""
    signals: int = 60
    """Single answers with it."""
    answer_rounds: int = 5
    answers_a_round: int = 640
    parked_before: int = 64
    """Parked before memory is looked at, so that what a worker loads once isn't counted."""
    parked: int = 500
    """Parked while memory grows."""
    instances: int = 100
    """Workflow instances made in the sandbox."""
    kills: int = 3


FULL = Sizes()
QUICK = Sizes(
    warm_up=3,
    one_at_a_time=6,
    answered_at_once=4,
    rounds=2,
    gates_a_round=32,
    settled=1,
    answers=20,
    signals=8,
    answer_rounds=2,
    answers_a_round=64,
    parked_before=16,
    parked=40,
    instances=10,
    kills=1,
)
"""Shows that everything works; its numbers mean little."""
