"""How a pause came to its end. A leaf: asks and pauses both speak of it."""

from enum import StrEnum
from typing import Literal, TypeAlias


class PauseResolution(StrEnum):
    """How a pause came to its end."""

    DECIDED = "decided"
    """Its channel decided at once; the call never paused."""
    REPLIED = "replied"
    """Answered by ``app.resume``."""
    WITHDRAWN = "withdrawn"
    """Nobody needs the answer any more: a fail-fast sibling failed, or a quorum was decided."""
    CANCELLED = "cancelled"
    """``app.cancel``, or its tree ended before an answer."""


WithdrawalReason: TypeAlias = Literal[PauseResolution.WITHDRAWN, PauseResolution.CANCELLED]
"""Why a question is taken back, and nothing else (S220)."""
