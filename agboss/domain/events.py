"""What observers are told. Ids of CHANNEL pauses are in none of them."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

from agboss.domain.failures import FailureRecord
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PendingPause


class ExecutionEvent(BaseModel):
    """Common to all: which execution, and the event's number within its tree (an id: delivered once, and again only
    after a crash in between, with the same number)."""

    model_config = ConfigDict(frozen=True)

    tenant_id: str
    thread_id: str
    owner_id: str | None
    execution_id: str
    number: int
    at: datetime


class ExecutionStarted(ExecutionEvent):
    kind: Literal["start"] = "start"
    workflow: str


class ExecutionPaused(ExecutionEvent):
    """The tree rests: nothing can move without an answer."""

    kind: Literal["pause"] = "pause"
    rest: int
    pending: list[PendingPause]


class ExecutionResumed(ExecutionEvent):
    """One answer was taken by its step."""

    kind: Literal["resume"] = "resume"
    answered_by: str
    """The responder's name: ``owner_id`` or ``answered_by`` of the answer (S132)."""
    answerer: PauseAnswerer
    channel: str
    tool: str
    resolution: PauseResolution


class ExecutionEnded(ExecutionEvent):
    kind: Literal["end"] = "end"
    cancelled: bool = False


class ExecutionFailed(ExecutionEvent):
    kind: Literal["error"] = "error"
    failure: FailureRecord


AnyExecutionEvent = ExecutionStarted | ExecutionPaused | ExecutionResumed | ExecutionEnded | ExecutionFailed
