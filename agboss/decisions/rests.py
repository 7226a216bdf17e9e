"""How a holder judges the answer to "may I rest?"."""

from collections.abc import Collection
from dataclasses import dataclass

from agboss.domain.ids import PauseKey
from agboss.domain.rests import RestAnswer


@dataclass(frozen=True, slots=True)
class Rested:
    """It rests: nothing more to do until something comes."""


@dataclass(frozen=True, slots=True)
class LookAt:
    """Answers are recorded for these pauses: their steps take them."""

    keys: tuple[PauseKey, ...]


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The answer is about a moment that has passed."""


@dataclass(frozen=True, slots=True)
class StopItself:
    """A fence covers the holder: it stops as on a cancel."""


@dataclass(frozen=True, slots=True)
class AwaitClosure:
    """A child has ended; its closure is on the way and will wake the holder."""


Judgement = Rested | LookAt | AskAgain | StopItself | AwaitClosure


def judge(answer: RestAnswer, *, something_came: bool, waiting: Collection[PauseKey]) -> Judgement:
    """What to do after T7 (protocol, "The tree's rest").

    ``something_came``: the holder has processed an event since it asked. ``waiting``: the pauses it still waits for.
    """
    if answer.fenced:
        return StopItself()
    if answer.accepted:
        return AskAgain() if something_came else Rested()
    keys = tuple(key for key in answer.keys if key in waiting)
    if keys:
        return LookAt(keys)
    if answer.unreaped:
        return AskAgain() if something_came else AwaitClosure()
    return AskAgain()
