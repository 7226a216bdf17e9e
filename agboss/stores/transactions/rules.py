"""The rules that several transactions share, named as the protocol names them."""

from typing import Any

from agboss.decisions.keys import under
from agboss.decisions.pause_machine import PauseEvent, after
from agboss.domain.events import ExecutionPaused
from agboss.domain.ids import Path, PauseKey
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.domain.rests import HolderRef, Owed
from agboss.stores.rows import (
    AnswerRow,
    EventRow,
    FenceRow,
    HolderRow,
    PauseRow,
    TreeRow,
    Where,
    equals,
)
from agboss.stores.transactions.shown import pending_pauses
from agboss.stores.transactions.unit import Unit, from_json, instant, to_json

OPEN = (PauseStatus.PENDING.value, PauseStatus.RESOLVED.value)


def fenced(unit: Unit, tree: TreeRow, path: str) -> bool:
    """Whether a fence covers the path."""
    if not tree.fences:
        return False
    return any(under(path, fence.path) for fence in unit.rows.select(FenceRow, equals(root=tree.root)))


def holder_of(unit: Unit, tree: TreeRow, ref: HolderRef, workflow_id: str | None = None) -> HolderRow:
    """The holder's row; inserted, moving with motion 1, where there is none."""
    row = unit.rows.get(HolderRow, ref.holder)
    if row is None:
        own = tree.workflow_id if ref.holder == tree.root else f"{tree.root}/{ref.holder}"
        row = HolderRow(
            id=ref.holder,
            root=ref.root,
            parent=ref.parent,
            path=ref.path,
            workflow_id=workflow_id or own,
            since=unit.now,
        )
        unit.rows.insert(row)
        if tree.at_rest:
            tree.at_rest = False
            unit.rows.update(tree)
    elif row.parent is None and ref.parent is not None:
        # The row came from a child's end, which knew its parent by name alone.
        row.parent, row.path = ref.parent, ref.path
        unit.rows.update(row)
    return row


def parent_of(unit: Unit, tree: TreeRow, ref: HolderRef) -> HolderRow | None:
    """The row of a holder's parent; ``None`` for the root's holder, which has none."""
    if ref.parent is None:
        return None
    above = Path("" if ref.parent == tree.root else ref.path.rpartition("/")[0])
    return holder_of(unit, tree, HolderRef(root=ref.root, holder=ref.parent, path=above))


def stopped(unit: Unit, tree: TreeRow, holder: HolderRow | None, path: str) -> bool:
    """Whether a step of that place must not go on: the tree or its holder has ended, or a fence covers it."""
    return tree.status != "live" or (holder is not None and holder.state == "ended") or fenced(unit, tree, path)


def set_moving(unit: Unit, tree: TreeRow, holder: HolderRow) -> None:
    """*set moving(h)*: never an ended one."""
    if holder.state == "ended":
        return
    holder.state = "moving"
    holder.motion += 1
    unit.rows.update(holder)
    tree.at_rest = False


def end_path(unit: Unit, tree: TreeRow, path: str, resolution: PauseResolution) -> None:
    """*end(path)*: all holders under the path are ended and reaped, their open records closed."""
    for holder in unit.rows.select(HolderRow, equals(root=tree.root)):
        if under(holder.path, path) and (holder.state != "ended" or not holder.reaped):
            holder.state = "ended"
            holder.reaped = True
            unit.rows.update(holder)
    close_records(unit, tree, path, resolution)


def close_records(unit: Unit, tree: TreeRow, path: str, resolution: PauseResolution) -> None:
    """Close what is open under the path. An answered one keeps its answer and wasn't acted on; it is not taken back."""
    where = (*equals(root=tree.root), Where("status", "in", OPEN))
    for pause in unit.rows.select(PauseRow, where, order=("seq",)):
        if under(pause.path, path):
            close_record(unit, pause, resolution)


def close_record(unit: Unit, pause: PauseRow, resolution: PauseResolution) -> None:
    """Close one open record."""
    was = PauseStatus(pause.status)
    if not move(pause, PauseEvent.CLOSE):
        return
    if was is PauseStatus.PENDING:
        pause.resolution = resolution.value
        pause.resolved_at = unit.now
        if pause.send_state in ("attempted", "sent"):
            pause.withdraw = "owed"
        write_entry(unit, pause)
    else:
        pause.acted = False
        mark_overtaken(unit, pause)
    pause.closed_at = unit.now
    pause.nudge_at = None
    unit.rows.update(pause)


def move(pause: PauseRow, event: PauseEvent) -> bool:
    """Change the status as the table says; False where it has no such change."""
    status = after(PauseStatus(pause.status), event)
    if status is None:
        return False
    pause.status = status.value
    return True


def evaluate_rest(unit: Unit, tree: TreeRow) -> None:
    """*evaluate the rest*: nothing moves and a pause waits."""
    if tree.status != "live" or tree.at_rest:
        return
    if unit.rows.select(HolderRow, equals(root=tree.root, state="moving"), limit=1):
        return
    if not unit.rows.select(PauseRow, equals(root=tree.root, status=PauseStatus.PENDING.value), limit=1):
        return
    tree.at_rest = True
    tree.rest_no += 1
    emit(unit, tree, ExecutionPaused, rest=tree.rest_no, pending=pending_pauses(unit, tree.root, with_owner_ids=True))


def emit(unit: Unit, tree: TreeRow, kind: type[Any], **facts: Any) -> None:
    """An event into the outbox, numbered within its tree."""
    tree.event_no += 1
    before = unit.rows.get(EventRow, tree.root, tree.event_no - 1)
    event = kind(
        tenant_id=tree.tenant,
        thread_id=tree.thread,
        owner_id=tree.owner,
        execution_id=tree.root,
        number=tree.event_no,
        at=instant(unit.now),
        **facts,
    )
    # Never before its predecessor, whatever a clock does: deliverers go by ``at``, and a tree's events stay in order.
    at = unit.now if before is None else max(unit.now, before.at)
    payload = to_json(event.model_dump(mode="json"))
    unit.rows.insert(EventRow(root=tree.root, number=tree.event_no, payload=payload, at=at))


def write_entry(unit: Unit, pause: PauseRow) -> None:
    """The permanent entry of a pause that has just got its resolution; the id of a CHANNEL pause isn't in it."""
    assert pause.resolution is not None and pause.resolved_at is not None, "an entry says how and when"
    entry = {
        "pause_id": pause.id if pause.answered_by == PauseAnswerer.THREAD_OWNER else None,
        "execution_id": pause.execution,
        "step": from_json(pause.step),
        "role": pause.channel,
        "answered_by": pause.answered_by,
        "responder": pause.responder,
        "resolution": pause.resolution,
        "asked_at": instant(pause.asked_at).isoformat(),
        "resolved_at": instant(pause.resolved_at).isoformat(),
        "decision": from_json(pause.masked_decision),
        "acted_on": pause.decision is not None,
    }
    text = to_json(entry)
    unit.rows.insert(AnswerRow(step_key=pause.step_key, tenant=pause.tenant, root=pause.root, seq=pause.seq, entry=text))


def mark_overtaken(unit: Unit, pause: PauseRow) -> None:
    """An answered pause was closed before its step took the answer: its entry says so (R03)."""
    row = unit.rows.get(AnswerRow, pause.root, pause.step_key)
    assert row is not None, "an answered pause has its entry"
    row.entry = to_json({**from_json(row.entry), "acted_on": False})
    unit.rows.update(row)


def owed_under(unit: Unit, root: str, path: str) -> tuple[Owed, ...]:
    """What is owed under the path and nobody has claimed; not those whose ``send`` is under way, which tell themselves."""
    where = equals(root=root, status=PauseStatus.CANCELLED.value, withdraw="owed", send_state="sent")
    return tuple(owed(pause) for pause in unit.rows.select(PauseRow, where, order=("seq",)) if under(pause.path, path))


def is_answered(pause: PauseRow) -> bool:
    """Whether it has its answer, from a person or from its channel."""
    return pause.resolution in (PauseResolution.REPLIED, PauseResolution.DECIDED)


def answer_is_owed(pause: PauseRow) -> bool:
    """Whether its channel is to be told of the answer, and nobody does yet."""
    return pause.withdraw == "owed" and is_answered(pause)


def owed(pause: PauseRow) -> Owed:
    """What a notice needs to know of a pause."""
    return Owed(
        step_key=pause.step_key,
        pause_key=PauseKey(pause.pause_key),
        channel=pause.channel,
        implementation=pause.implementation,
        tool=from_json(pause.step)["tool"],
        timeout_seconds=pause.timeout / 1_000_000,
        kind="answered" if is_answered(pause) else "withdraw",
    )
