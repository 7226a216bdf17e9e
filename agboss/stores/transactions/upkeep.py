"""What sweeps and deliverers do: leases, nudges, lost holders, retention, the outbox, blobs."""

from pydantic import TypeAdapter

from agboss.decisions.keys import content_hash
from agboss.domain.events import AnyExecutionEvent
from agboss.domain.ids import ContentHash, ExecutionId, HolderId, Path, PauseKey, WorkflowId
from agboss.domain.pauses import PauseStatus
from agboss.domain.rests import HolderRef
from agboss.ports.pause_index import LiveHolder, Nudge, OutboxEvent
from agboss.stores.rows import BlobRow, EventRow, HolderRow, LeaseRow, PauseRow, Where, equals
from agboss.stores.transactions.pauses import NUDGE_AFTER
from agboss.stores.transactions.rules import fenced
from agboss.stores.transactions.unit import Unit, instant

_EVENT: TypeAdapter[AnyExecutionEvent] = TypeAdapter(AnyExecutionEvent)
LONGEST_NUDGE = 3_600_000_000
"""Microseconds: an untaken answer is signalled again after 30 s × 2ⁿ, at most hourly."""


def lease(unit: Unit, name: str, holder: str, duration: int) -> bool:
    """Take or renew a lease."""
    row = unit.rows.get(LeaseRow, name)
    if row is None:
        unit.rows.insert(LeaseRow(name=name, holder=holder, until=unit.now + duration))
        return True
    if row.holder != holder and row.until > unit.now:
        return False
    row.holder = holder
    row.until = unit.now + duration
    unit.rows.update(row)
    return True


def due_nudges(unit: Unit, limit: int) -> tuple[Nudge, ...]:
    """Untaken answers whose time has come; each is put off at once."""
    where = (*equals(status=PauseStatus.RESOLVED.value), Where("nudge_at", "<=", unit.now))
    nudges = []
    for pause in unit.rows.select(PauseRow, where, order=("nudge_at",), limit=limit):
        pause.nudges += 1
        pause.nudge_at = unit.now + min(LONGEST_NUDGE, NUDGE_AFTER * 2 ** min(pause.nudges, 32))
        unit.rows.update(pause)
        nudges.append(Nudge(workflow_id=WorkflowId(pause.workflow_id), pause_key=PauseKey(pause.pause_key)))
    return tuple(nudges)


def live_holders(unit: Unit, age: int, limit: int, after: str | None) -> tuple[LiveHolder, ...]:
    """Holders that have not ended, by id."""
    where = (Where("state", "!=", "ended"), Where("since", "<=", unit.now - age), Where("id", ">", after or ""))
    found = []
    for row in unit.rows.select(HolderRow, where, order=("id",), limit=limit):
        found.append(
            LiveHolder(
                ref=HolderRef(
                    root=ExecutionId(row.root),
                    holder=HolderId(row.id),
                    parent=None if row.parent is None else HolderId(row.parent),
                    path=Path(row.path),
                ),
                workflow_id=WorkflowId(row.workflow_id),
                since=instant(row.since),
                fenced=fenced(unit, unit.tree(row.root), row.path),
            )
        )
    return tuple(found)


def delete_resolved_before(unit: Unit, cutoff: int, limit: int) -> int:
    """Retention. ``closed_at`` is the latest of resolved, taken and closed (R21)."""
    where = (
        Where("closed_at", "<", cutoff),
        Where("settled_at", "<=", unit.now),
        Where("withdraw", "in", ("none", "told")),
    )
    old = unit.rows.select(PauseRow, where, order=("closed_at",), limit=limit)
    for pause in old:
        unit.rows.delete(pause)
    return len(old)


def undelivered(unit: Unit, limit: int) -> tuple[OutboxEvent, ...]:
    """Events to be delivered, the oldest first; of each tree in order."""
    rows = unit.rows.select(EventRow, equals(delivered=False), order=("at", "root", "number"), limit=limit)
    return tuple(
        OutboxEvent(root=ExecutionId(row.root), number=row.number, event=_EVENT.validate_json(row.payload)) for row in rows
    )


def delivered(unit: Unit, root: str, number: int) -> None:
    """The event has been delivered."""
    row = unit.rows.get(EventRow, root, number)
    if row is not None and not row.delivered:
        row.delivered = True
        unit.rows.update(row)


def put_blob(unit: Unit, content: bytes) -> ContentHash:
    """Keep bytes under their hash."""
    name = content_hash(content)
    if unit.rows.get(BlobRow, name) is None:
        unit.rows.insert(BlobRow(hash=name, content=content))
    return name


def get_blob(unit: Unit, name: str) -> bytes:
    """The bytes of a hash."""
    row = unit.rows.get(BlobRow, name)
    if row is None:
        raise KeyError(name)
    return row.content
