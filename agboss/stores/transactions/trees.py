"""T0, T4, T5, T6: a tree's and a holder's start, end and violent movements."""

from agboss.decisions.keys import content_hash, under
from agboss.domain.events import ExecutionEnded, ExecutionFailed, ExecutionStarted
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ROOT, ContentHash, ExecutionId, HolderId, OwnerId, TenantId, ThreadId, WorkflowId
from agboss.domain.pauses import PauseResolution
from agboss.domain.rests import HolderRef
from agboss.errors import ThreadBusyError, ThreadOwnerError
from agboss.ports.pause_index import EndAnswer, EndHolder, Fence, FenceAnswer, StartTree, TreeFrame, Wake, WakeAnswer
from agboss.stores.rows import BlobRow, FenceRow, HolderRow, PauseRow, ThreadRow, TreeRow, equals
from agboss.stores.transactions.rules import (
    close_records,
    emit,
    end_path,
    evaluate_rest,
    holder_of,
    owed_under,
    parent_of,
    set_moving,
)
from agboss.stores.transactions.unit import Unit, from_json, instant, to_json


def start(unit: Unit, tree: StartTree) -> None:
    """T0."""
    if unit.rows.get(TreeRow, tree.root) is not None:
        return
    thread = unit.rows.get(ThreadRow, tree.tenant, tree.thread)
    if thread is not None and thread.owner is not None and thread.owner != tree.owner:
        raise ThreadOwnerError
    live = unit.rows.select(TreeRow, equals(tenant=tree.tenant, thread=tree.thread, status="live"), limit=1)
    if live:
        raise ThreadBusyError(
            f"thread {tree.thread!r} has an execution that moves or waits; answer it, cancel it, or use another thread",
            execution_id=live[0].root,
            thread_id=tree.thread,
        )
    if thread is None:
        unit.rows.insert(ThreadRow(tenant=tree.tenant, thread=tree.thread, owner=tree.owner))
    elif thread.owner is None and tree.owner is not None:
        thread.owner = tree.owner
        unit.rows.update(thread)
    if unit.rows.get(BlobRow, tree.plan_hash) is None:
        unit.rows.insert(BlobRow(hash=content_hash(tree.plan), content=tree.plan))
    row = TreeRow(
        root=tree.root,
        tenant=tree.tenant,
        thread=tree.thread,
        owner=tree.owner,
        workflow=tree.workflow,
        workflow_id=tree.workflow_id,
        plan_hash=tree.plan_hash,
        input=to_json(tree.input),
        fields=to_json(tree.fields),
        started_at=unit.now,
    )
    unit.rows.insert(row)
    holder_of(unit, row, HolderRef(root=tree.root, holder=HolderId(tree.root)))
    emit(unit, row, ExecutionStarted, workflow=tree.workflow)
    unit.touch(row)


def end(unit: Unit, end: EndHolder) -> EndAnswer:
    """T4."""
    tree = unit.tree(end.ref.root)
    holder = holder_of(unit, tree, end.ref)
    is_root = end.ref.parent is None
    parent = parent_of(unit, tree, end.ref)
    if holder.state != "ended" or (is_root and tree.status == "live"):
        end_path(unit, tree, end.ref.path, PauseResolution.CANCELLED)
        ended = unit.rows.get(HolderRow, end.ref.holder)
        assert ended is not None
        ended.state = "ended"
        # Its own closure is still to be seen by its parent, which must not rest before.
        ended.reaped = is_root
        unit.rows.update(ended)
        if is_root:
            _end_tree(unit, tree, end)
        elif parent is not None:
            set_moving(unit, tree, parent)
        evaluate_rest(unit, tree)
        unit.touch(tree)
    return EndAnswer(
        parent_motion=parent.motion if parent is not None else None, owed=owed_under(unit, tree.root, end.ref.path)
    )


def _end_tree(unit: Unit, tree: TreeRow, end: EndHolder) -> None:
    tree.status = "ended"
    tree.at_rest = False
    tree.ended_at = unit.now
    tree.outcome = end.outcome
    for pause in unit.rows.select(PauseRow, equals(root=tree.root, settled_at=None)):
        pause.settled_at = unit.now
        unit.rows.update(pause)
    if end.outcome == "finished" and unit.rows.get(FenceRow, tree.root, ROOT) is not None:
        # A flow may reach its end while a cancel is on its way: who was told "cancelled" must not find it finished.
        tree.outcome = "cancelled"
    if tree.outcome == "finished" and end.output is not None:
        tree.output = to_json(end.output)
    if tree.outcome == "failed" and end.failure is not None:
        tree.failure = failure_json(end.failure)
        emit(unit, tree, ExecutionFailed, failure=end.failure)
    else:
        emit(unit, tree, ExecutionEnded, cancelled=tree.outcome == "cancelled")


def wake(unit: Unit, wake: Wake) -> WakeAnswer:
    """T5."""
    tree = unit.tree(wake.ref.root)
    holder = unit.rows.get(HolderRow, wake.ref.holder)
    if tree.status == "live":
        holder = holder_of(unit, tree, wake.ref)
        set_moving(unit, tree, holder)
        for gone in wake.gone:
            _fence(unit, tree, gone.path, PauseResolution.CANCELLED)
            holder_of(unit, tree, gone)
            end_path(unit, tree, gone.path, PauseResolution.CANCELLED)
        evaluate_rest(unit, tree)
        unit.touch(tree)
    owed = [question for gone in wake.gone for question in owed_under(unit, tree.root, gone.path)]
    return WakeAnswer(motion=1 if holder is None else holder.motion, owed=tuple(owed))


def fence(unit: Unit, fence: Fence) -> FenceAnswer:
    """T6."""
    tree = unit.tree(fence.root)
    applied = tree.status == "live"
    if applied:
        new = _fence(unit, tree, fence.path, fence.resolution)
        applied = new or not fence.cancel
        if new:
            close_records(unit, tree, fence.path, fence.resolution)
            if fence.cancel:
                tree.cancelled_by = fence.cancelled_by
            # Whom it covers has something to do: to stop. A tree whose questions it closed doesn't rest any more.
            for holder in unit.rows.select(HolderRow, equals(root=tree.root)):
                if under(holder.path, fence.path):
                    set_moving(unit, tree, holder)
            unit.touch(tree)
    return FenceAnswer(applied=applied, owed=owed_under(unit, tree.root, fence.path))


def _fence(unit: Unit, tree: TreeRow, path: str, resolution: PauseResolution) -> bool:
    if unit.rows.get(FenceRow, tree.root, path) is not None:
        return False
    unit.rows.insert(FenceRow(root=tree.root, path=path, resolution=resolution.value))
    tree.fences += 1
    return True


def frame_of(tree: TreeRow) -> TreeFrame:
    """What never changes in a tree."""
    return TreeFrame(
        root=ExecutionId(tree.root),
        tenant=TenantId(tree.tenant),
        thread=ThreadId(tree.thread),
        owner=None if tree.owner is None else OwnerId(tree.owner),
        workflow=tree.workflow,
        workflow_id=WorkflowId(tree.workflow_id),
        plan_hash=ContentHash(tree.plan_hash),
        input=from_json(tree.input),
        fields=from_json(tree.fields),
        started_at=instant(tree.started_at),
    )


def failure_of(text: str | None) -> FailureRecord | None:
    """A stored failure."""
    return None if text is None else FailureRecord.model_validate(from_json(text))


def failure_json(failure: FailureRecord | None) -> str | None:
    """A failure to be stored."""
    return None if failure is None else to_json(failure.model_dump(mode="json"))
