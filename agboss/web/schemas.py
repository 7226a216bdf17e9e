"""Bodies and responses, as they go over the wire and into the OpenAPI document."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from agboss.domain.executions import ExecutionStatus
from agboss.domain.pauses import PendingPause
from agboss.ports.pause_index import ListedPause
from agboss.standing import Stand
from agboss.web.bodies import Body
from agboss.web.limits import LONGEST_WAIT_SECONDS, USUAL_WAIT_SECONDS

Seconds = Annotated[float, Field(ge=0, le=LONGEST_WAIT_SECONDS, allow_inf_nan=False)]


class AnswerBody(Body):
    """An answer to a pause: exactly one of ``decision`` and ``reply``, as exactly one of ``answered_by`` and ``owner_id``."""

    pause_id: str
    """The right to answer. Only ever here: addresses stay in logs and histories."""
    decision: dict[str, Any] | None = None
    """``approved``, and ``reason`` or, when it approves, ``override_arguments``."""
    reply: str | None = None
    """The person's words, as they came: the channel's reply interpreter reads them before anything is recorded."""
    answered_by: str | None = None
    owner_id: str | None = None
    wait: bool = False
    """Respond at the execution's next rest or end."""
    timeout_seconds: Seconds = USUAL_WAIT_SECONDS
    """Of the wait, and of the reading of a reply."""


class StartBody(Body):
    """An execution to start."""

    workflow: str
    input: dict[str, Any]
    thread_id: str | None = None
    owner_id: str | None = None
    fields: dict[str, Any] | None = None
    wait: bool = False
    timeout_seconds: Seconds = USUAL_WAIT_SECONDS


class CancelBody(Body):
    """Who cancels: at most one; on an owned thread exactly one."""

    owner_id: str | None = None
    cancelled_by: str | None = None


class FailureDocument(BaseModel):
    """What an execution failed with."""

    code: str
    message: str


class ExecutionDocument(BaseModel):
    """Where an execution stands. One that failed is a good response about a bad execution."""

    status: ExecutionStatus
    thread_id: str
    execution_id: str
    output: dict[str, Any] | None = None
    pending: list[PendingPause] = []
    failure: FailureDocument | None = None


class AnswerDocument(ExecutionDocument):
    """The same, after an answer."""

    delivered: bool
    """False: recorded, and Temporal couldn't be told; the sweep will."""
    repeated: bool
    """This very answer was recorded before."""


class ListedDocument(PendingPause):
    """A waiting pause in a list over executions."""

    thread_id: str
    execution_id: str
    workflow: str


class PendingDocument(BaseModel):
    """What waits, oldest first."""

    pending: list[ListedDocument]


class CancelDocument(BaseModel):
    """Whether there was something to cancel."""

    thread_id: str
    cancelled: bool


class HealthDocument(BaseModel):
    """The process lives."""

    status: str


class ReadyDocument(BaseModel):
    """What answers: ``up`` or ``away``. Ready is who has the index."""

    ready: bool
    index: str
    temporal: str


class ProblemDocument(BaseModel):
    """RFC 9457. ``code`` is stable; nothing of the request is repeated."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    problems: list[str] | None = None
    """Of a request that isn't valid: one line a fault, with the field's place and without its value."""


def execution_document(stand: Stand, *, owners_view: bool) -> dict[str, Any]:
    """Ids of pauses only in their owner's view (R32)."""
    hidden = {} if owners_view else {"pause_id": None}
    failure = None if stand.failure is None else {"code": stand.failure_code, "message": stand.failure}
    return {
        "status": stand.status.value,
        "thread_id": stand.thread_id,
        "execution_id": stand.execution_id,
        "output": stand.output,
        "pending": [pause.model_dump(mode="json") | hidden for pause in stand.pending],
        "failure": failure,
    }


def running_document(thread_id: str, execution_id: str) -> dict[str, Any]:
    """Of an execution that nobody waits for."""
    return {
        "status": ExecutionStatus.RUNNING.value,
        "thread_id": thread_id,
        "execution_id": execution_id,
        "output": None,
        "pending": [],
        "failure": None,
    }


def listed_document(listed: ListedPause) -> dict[str, Any]:
    """One line of the list."""
    where = {"thread_id": listed.thread, "execution_id": listed.execution, "workflow": listed.workflow}
    return where | listed.pause.model_dump(mode="json")
