"""The pause machine: one table says which change of status exists. A missing cell *is* ``NotPausedError``."""

from enum import StrEnum

from agboss.domain.pauses import PauseStatus


class PauseEvent(StrEnum):
    """What can happen to a pause."""

    ANSWER = "answer"
    """``app.resume`` recorded a decision."""
    DECIDE = "decide"
    """Its channel decided at once."""
    TAKE = "take"
    """Its step takes the recorded decision."""
    FAIL_SEND = "fail-send"
    """Its channel's ``send`` raised."""
    CLOSE = "close"
    """A fence, or the end of its tree."""


TRANSITIONS: dict[tuple[PauseStatus, PauseEvent], PauseStatus] = {
    (PauseStatus.PENDING, PauseEvent.ANSWER): PauseStatus.RESOLVED,
    (PauseStatus.PENDING, PauseEvent.DECIDE): PauseStatus.TAKEN,
    (PauseStatus.PENDING, PauseEvent.FAIL_SEND): PauseStatus.CANCELLED,
    (PauseStatus.PENDING, PauseEvent.CLOSE): PauseStatus.CANCELLED,
    (PauseStatus.RESOLVED, PauseEvent.TAKE): PauseStatus.TAKEN,
    (PauseStatus.RESOLVED, PauseEvent.CLOSE): PauseStatus.CANCELLED,
}
"""The whole life of a pause (S151). ``TAKEN`` and ``CANCELLED`` have no way out."""


def after(status: PauseStatus, event: PauseEvent) -> PauseStatus | None:
    """The status after ``event``; ``None`` where the table has no such change."""
    return TRANSITIONS.get((status, event))
