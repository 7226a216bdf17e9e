"""What a pause is: its statuses, resolutions, who may answer it, and how it is shown to people."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from agboss.domain.asks import QuestionAsk, ToolCallApprovalAsk
from agboss.domain.resolutions import PauseResolution as PauseResolution


class PauseStatus(StrEnum):
    """Where a pause stands. ``TAKEN`` and ``CANCELLED`` are final."""

    PENDING = "pending"
    """It waits for an answer."""
    RESOLVED = "resolved"
    """A decision is recorded; the step has not taken it yet."""
    TAKEN = "taken"
    """The step took the decision, or the channel decided at once."""
    CANCELLED = "cancelled"
    """Taken back: withdrawn, cancelled, or overtaken by the end of its tree."""


class PauseAnswerer(StrEnum):
    """Who may answer the pauses of a channel role."""

    THREAD_OWNER = "thread-owner"
    """The owner of the thread; the pause's id is listed in ``result.pending``."""
    CHANNEL = "channel"
    """Whoever the channel's side authenticates; only the channel gets the pause's id."""


class PendingPause(BaseModel):
    """One waiting pause, as ``result.pending`` and ``event.pending`` list it."""

    model_config = ConfigDict(frozen=True)

    pause_id: str | None
    """What ``app.resume`` takes; ``None`` for a CHANNEL pause, whose id only its channel has (S129)."""
    answered_by: PauseAnswerer
    agent: str
    """The agent whose tool call waits."""
    channel: str
    """The channel asked: a role's name, or a concrete channel's own (S022)."""
    item_index: int | None = None
    """Index of the innermost per-item launch it waits in (R20)."""
    item_path: tuple[int, ...] = ()
    child_execution_id: str | None = None
    """The child execution it waits in; ``None`` in the root."""
    ask: QuestionAsk[dict[str, Any]] | ToolCallApprovalAsk[dict[str, Any]]
    """The question, with sensitive fields masked."""
    asked_at: datetime
