"""What an execution is and what a caller gets back."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from agboss.domain.pauses import PauseAnswerer, PauseResolution, PendingPause

Output = TypeVar("Output")


class ExecutionStatus(StrEnum):
    """What a caller may find."""

    RUNNING = "running"
    PAUSED = "paused"
    """At rest: nothing in the tree can move without an answer."""
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StepRecord(BaseModel):
    """The step a pause waited in (S173, S174)."""

    model_config = ConfigDict(frozen=True)

    agent: str
    node: str
    visit: int
    copy_index: int | None = None
    item_index: int | None = None
    tool: str
    call_id: str
    tool_loop_iteration: int
    validation_attempts: int


class PauseEntry(BaseModel):
    """One line of the permanent history: who decided what (S169–S179)."""

    model_config = ConfigDict(frozen=True)

    pause_id: str | None
    """``None`` for a CHANNEL pause."""
    execution_id: str
    step: StepRecord
    role: str
    answered_by: PauseAnswerer
    responder: str | None
    """The ``owner_id`` or ``answered_by`` of the answer; ``None`` where nobody answered."""
    resolution: PauseResolution
    asked_at: datetime
    resolved_at: datetime
    decision: dict[str, Any] | None
    """Masked; ``None`` when withdrawn or cancelled."""
    acted_on: bool
    """False for an answer that something overtook before its step took it (R03)."""


class ExecutionRecord(BaseModel):
    """The record of a tree, given with ``record=True``."""

    model_config = ConfigDict(frozen=True)

    pauses: list[PauseEntry]
    """Every resolved pause of the tree, in the order they were asked (S170)."""
    children: list["ChildExecutionRecord"] = []


class ChildExecutionRecord(BaseModel):
    """The record of one child execution."""

    model_config = ConfigDict(frozen=True)

    execution_id: str
    pauses: list[PauseEntry]
    children: list["ChildExecutionRecord"] = []


class ExecutionResult(BaseModel, Generic[Output]):
    """What ``execute`` and ``resume`` return."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    status: ExecutionStatus
    thread_id: str
    execution_id: str
    """The root's."""
    output: Output | None = None
    """The flow's finish; there when ``FINISHED``."""
    pending: list[PendingPause] = []
    """Every waiting pause of the tree; not empty exactly when ``PAUSED`` (S032)."""
    record: ExecutionRecord | None = None
    children: list[ChildExecutionRecord] = []
    delivered: bool = True
    """False where the answer is recorded and Temporal couldn't be told; the sweep will."""


class CancelResult(BaseModel):
    """What ``cancel`` returns."""

    model_config = ConfigDict(frozen=True)

    cancelled: bool
