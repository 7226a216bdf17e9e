"""The index's rows, and what a transaction needs of a store: load, select, insert, update, delete. Nothing else differs
between stores, so the protocol itself is written once, in ``transactions``.

Times are integer microseconds since 1970, UTC. JSON is kept as text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeVar


@dataclass(slots=True)
class TreeRow:
    """One tree: a root execution with all that belongs to it."""

    table: ClassVar[str] = "trees"
    key: ClassVar[tuple[str, ...]] = ("root",)

    root: str
    tenant: str
    thread: str
    owner: str | None
    workflow: str
    workflow_id: str
    plan_hash: str
    input: str
    fields: str
    started_at: int
    status: str = "live"
    at_rest: bool = False
    rest_no: int = 0
    seq: int = 0
    event_no: int = 0
    fences: int = 0
    """How many there are: most trees have none, and nobody needs to look."""
    outcome: str | None = None
    output: str | None = None
    failure: str | None = None
    cancelled_by: str | None = None
    ended_at: int | None = None


@dataclass(slots=True)
class ThreadRow:
    """Who a thread belongs to."""

    table: ClassVar[str] = "threads"
    key: ClassVar[tuple[str, ...]] = ("tenant", "thread")

    tenant: str
    thread: str
    owner: str | None


@dataclass(slots=True)
class HolderRow:
    """One Temporal workflow of a tree."""

    table: ClassVar[str] = "holders"
    key: ClassVar[tuple[str, ...]] = ("id",)

    id: str
    root: str
    parent: str | None
    path: str
    workflow_id: str
    since: int
    state: str = "moving"
    motion: int = 1
    reaped: bool = False
    wants_slot: bool = False


@dataclass(slots=True)
class PauseRow:
    """One pause. What was asked is in its call's row."""

    table: ClassVar[str] = "pauses"
    key: ClassVar[tuple[str, ...]] = ("step_key",)

    step_key: str
    pause_key: str
    id: str
    id_hash: str
    tenant: str
    owner: str | None
    """The tree's, so that one owner's questions can be listed without looking at all others'."""
    root: str
    execution: str
    holder: str
    workflow_id: str
    path: str
    position_key: str
    step: str
    """JSON of the ``StepRecord``: made once, when the question was opened, and copied into the permanent entry."""
    status: str
    channel: str
    implementation: str
    answered_by: str
    four_eyes: bool
    timeout: int
    seq: int
    asked_at: int
    resolution: str | None = None
    acted: bool = True
    send_state: str = "none"
    attempts: int = 0
    send_until: int = 0
    """When a ``send`` that is under way can't be under way any more: the attempt and the tool's timeout."""
    reported: str = "[]"
    """The attempts whose ``send`` has returned: one that says so again changes nothing."""
    failed_send: bool = False
    failure: str | None = None
    withdraw: str = "none"
    """Of the closing notice, whether it says "taken back" or "answered": none, owed, claimed, told."""
    claim: int = 0
    claimed_until: int = 0
    nudge_at: int | None = None
    nudges: int = 0
    decision: str | None = None
    masked_decision: str | None = None
    responder: str | None = None
    answerer: str | None = None
    resolved_at: int | None = None
    closed_at: int | None = None
    """When it became final."""
    settled_at: int | None = None
    """When nobody needed the record any more: its call had its result, or its tree had ended."""
    answer_schema: str | None = None
    """JSON; of a question."""
    tells_answers: bool = False
    """A notice is owed also when it is answered."""
    asked: str = "[]"
    """JSON: of several channels those that may have been asked; none: ``implementation`` is the only one."""
    decided_by: str | None = None
    """Of several channels the one that decided at once."""


@dataclass(slots=True)
class ReadingRow:
    """One reading of one reply."""

    table: ClassVar[str] = "readings"
    key: ClassVar[tuple[str, ...]] = ("id",)

    id: str
    tenant: str
    step_key: str
    interpreter: str
    responder: str
    answerer: str
    digest: str
    """Of reply and responder."""
    reply: str | None
    """JSON of the text, until it is read."""
    at: int
    outcome: str | None = None
    reason: str | None = None
    failure: str | None = None
    rest_no: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


@dataclass(slots=True)
class AnswerRow:
    """The permanent entry of a resolved pause."""

    table: ClassVar[str] = "answers"
    key: ClassVar[tuple[str, ...]] = ("root", "step_key")

    root: str
    step_key: str
    tenant: str
    seq: int
    entry: str


@dataclass(slots=True)
class FenceRow:
    """Nothing new under this path."""

    table: ClassVar[str] = "fences"
    key: ClassVar[tuple[str, ...]] = ("root", "path")

    root: str
    path: str
    resolution: str


@dataclass(slots=True)
class TurnRow:
    """One model turn."""

    table: ClassVar[str] = "turns"
    key: ClassVar[tuple[str, ...]] = ("turn_key",)

    turn_key: str
    root: str
    execution: str
    node: str
    visit: int
    path: str
    item: int | None
    iteration: int
    validation_attempts: int
    agent: str
    model: str
    text: str
    input_tokens: int
    output_tokens: int
    cost: float | None
    output: str | None
    at: int


@dataclass(slots=True)
class CallRow:
    """One call of a turn, with its result once there is one."""

    table: ClassVar[str] = "calls"
    key: ClassVar[tuple[str, ...]] = ("step_key",)

    step_key: str
    turn_key: str
    root: str
    position: int
    call_id: str
    tool: str
    raw_arguments: str
    arguments: str
    masked_arguments: str
    summary: str
    schema_hash: str
    gated: bool
    begun: bool = False
    result: str | None = None
    failure: str | None = None


@dataclass(slots=True)
class EventRow:
    """One event of the outbox."""

    table: ClassVar[str] = "events"
    key: ClassVar[tuple[str, ...]] = ("root", "number")

    root: str
    number: int
    payload: str
    at: int
    """When it was made; within a tree never before the event before it."""
    delivered: bool = False


@dataclass(slots=True)
class BlobRow:
    """Bytes under their hash."""

    table: ClassVar[str] = "blobs"
    key: ClassVar[tuple[str, ...]] = ("hash",)

    hash: str
    content: bytes


@dataclass(slots=True)
class LeaseRow:
    """Who does something alone, and until when."""

    table: ClassVar[str] = "leases"
    key: ClassVar[tuple[str, ...]] = ("name",)

    name: str
    holder: str
    until: int


@dataclass(slots=True)
class CallerRow:
    """One program that may call over HTTP. The lists are JSON."""

    table: ClassVar[str] = "callers"
    key: ClassVar[tuple[str, ...]] = ("secret_hash",)

    secret_hash: str
    name: str
    tenants: str
    answers_as: str
    owners: str
    starts: bool
    added_at: int


@dataclass(slots=True)
class ResponseRow:
    """What was answered to a request with an idempotency key; without a status it is under way."""

    table: ClassVar[str] = "responses"
    key: ClassVar[tuple[str, ...]] = ("caller", "token")

    caller: str
    token: str
    digest: str
    until: int
    http_status: int | None = None
    body: str | None = None


ROWS: tuple[type[Any], ...] = (
    TreeRow,
    ThreadRow,
    HolderRow,
    PauseRow,
    ReadingRow,
    AnswerRow,
    FenceRow,
    TurnRow,
    CallRow,
    EventRow,
    BlobRow,
    LeaseRow,
    CallerRow,
    ResponseRow,
)

Row = TypeVar("Row")


class Where(NamedTuple):
    """One condition on a column."""

    column: str
    op: Literal["=", "!=", "<", "<=", ">", "in"]
    value: Any


def equals(**columns: Any) -> tuple[Where, ...]:
    """Conditions that all these columns have these values."""
    return tuple(Where(column, "=", value) for column, value in columns.items())


class Rows(Protocol):
    """The rows within one transaction."""

    def get(self, kind: type[Row], *key: Any) -> Row | None:
        """The row of that key."""
        ...

    def select(
        self, kind: type[Row], where: Sequence[Where], *, order: Sequence[str] = (), limit: int | None = None
    ) -> list[Row]:
        """All rows that meet every condition, ascending by ``order``."""
        ...

    def insert(self, row: Any) -> None:
        """A row that is not there yet."""
        ...

    def update(self, row: Any) -> None:
        """A row that is there."""
        ...

    def delete(self, row: Any) -> None:
        """A row that is there."""
        ...
