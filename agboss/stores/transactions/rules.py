"""The rules that several transactions share, named as the protocol names them."""

from typing import Any

from agboss.decisions.keys import under
from agboss.decisions.pause_machine import PauseEvent, after
from agboss.domain.events import ExecutionPaused
from agboss.domain.executions import PauseEntry, StepRecord
from agboss.domain.ids import Path, PauseKey
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.domain.rests import HolderRef, Owed
from agboss.stores.rows import (
    AnswerRow,
    CallRow,
    EventRow,
    FenceRow,
    HolderRow,
    PauseRow,
    TreeRow,
    TurnRow,
    Where,
    equals,
)
from agboss.stores.transactions.shown import pending_pauses
from agboss.stores.transactions.unit import Unit, from_json, instant, to_json

OPEN = (PauseStatus.PENDING.value, PauseStatus.RESOLVED.value)


def fenced(unit: Unit, root: str, path: str) -> bool:
    """Whether a fence covers the path."""
    return any(under(path, fence.path) for fence in unit.rows.select(FenceRow, equals(root=root)))


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
    return tree.status != "live" or (holder is not None and holder.state == "ended") or fenced(unit, tree.root, path)


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
    else:
        pause.acted = False
    pause.closed_at = unit.now
    pause.nudge_at = None
    unit.rows.update(pause)
    write_entry(unit, pause)


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
    """The permanent entry of a resolved pause, once; a later change of ``acted_on`` is written into the same one."""
    call = unit.rows.get(CallRow, pause.step_key)
    turn = unit.rows.get(TurnRow, call.turn_key) if call is not None else None
    assert call is not None and turn is not None, "a pause's call and turn are journaled before it is opened"
    assert pause.resolution is not None and pause.resolved_at is not None
    answered_by = PauseAnswerer(pause.answered_by)
    entry = PauseEntry(
        pause_id=pause.id if answered_by is PauseAnswerer.THREAD_OWNER else None,
        execution_id=pause.execution,
        step=StepRecord(
            agent=turn.agent,
            node=turn.node,
            visit=turn.visit,
            item_index=turn.item,
            tool=call.tool,
            call_id=from_json(call.call_id),
            tool_loop_iteration=turn.iteration,
            validation_attempts=turn.validation_attempts,
        ),
        role=pause.channel,
        answered_by=answered_by,
        responder=pause.responder,
        resolution=PauseResolution(pause.resolution),
        asked_at=instant(pause.asked_at),
        resolved_at=instant(pause.resolved_at),
        decision=from_json(pause.masked_decision),
        acted_on=pause.acted and pause.decision is not None,
    )
    text = to_json(entry.model_dump(mode="json"))
    row = unit.rows.get(AnswerRow, pause.step_key)
    if row is None:
        unit.rows.insert(AnswerRow(step_key=pause.step_key, tenant=pause.tenant, root=pause.root, seq=pause.seq, entry=text))
    else:
        row.entry = text
        unit.rows.update(row)


def owed_under(unit: Unit, root: str, path: str) -> tuple[Owed, ...]:
    """What is owed under the path and nobody has claimed; not those whose ``send`` is under way, which tell themselves."""
    where = equals(root=root, withdraw="owed", send_state="sent")
    return tuple(owed(unit, pause) for pause in unit.rows.select(PauseRow, where, order=("seq",)) if under(pause.path, path))


def owed(unit: Unit, pause: PauseRow) -> Owed:
    """What a withdraw needs to know of a pause."""
    call = unit.rows.get(CallRow, pause.step_key)
    return Owed(
        step_key=pause.step_key,
        pause_key=PauseKey(pause.pause_key),
        channel=pause.channel,
        implementation=pause.implementation,
        tool=call.tool if call is not None else "",
        timeout_seconds=pause.timeout / 1_000_000,
    )
