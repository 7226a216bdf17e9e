"""What callers read."""

from typing import Any

from agboss.decisions.keys import pause_id_hash
from agboss.domain.executions import PauseEntry
from agboss.domain.ids import ExecutionId, HolderId, OwnerId, Path, PauseKey, StepKey, TenantId, ThreadId, WorkflowId
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.ports.pause_index import Answer, ListedPause, LiveTree, PauseRecord, Progress, Responder
from agboss.stores.rows import AnswerRow, CallRow, FenceRow, PauseRow, ThreadRow, TreeRow, equals
from agboss.stores.transactions.shown import pending_pause, pending_pauses
from agboss.stores.transactions.trees import failure_of, frame_of
from agboss.stores.transactions.unit import Unit, from_json, instant


def find(unit: Unit, tenant: str, pause_id: str) -> PauseRecord | None:
    """By the digest of the id as it came."""
    found = unit.rows.select(PauseRow, equals(tenant=tenant, id_hash=pause_id_hash(pause_id)), limit=1)
    return record_of(unit, found[0]) if found else None


def record_of(unit: Unit, pause: PauseRow) -> PauseRecord | None:
    """A pause as callers see it."""
    tree = unit.rows.get(TreeRow, pause.root)
    call = unit.rows.get(CallRow, pause.step_key)
    if tree is None or call is None:
        return None
    answer = None
    if pause.decision is not None:
        responder = None
        if pause.responder is not None and pause.answerer is not None:
            responder = Responder(answerer=PauseAnswerer(pause.answerer), name=pause.responder)
        answer = Answer(
            decision=from_json(pause.decision), masked_decision=from_json(pause.masked_decision), responder=responder
        )
    return PauseRecord(
        step_key=StepKey(pause.step_key),
        pause_key=PauseKey(pause.pause_key),
        root=ExecutionId(pause.root),
        execution=ExecutionId(pause.execution),
        holder=HolderId(pause.holder),
        workflow_id=WorkflowId(pause.workflow_id),
        path=Path(pause.path),
        tenant=TenantId(pause.tenant),
        thread=ThreadId(tree.thread),
        owner=None if tree.owner is None else OwnerId(tree.owner),
        status=PauseStatus(pause.status),
        resolution=None if pause.resolution is None else PauseResolution(pause.resolution),
        answered_by=PauseAnswerer(pause.answered_by),
        four_eyes=pause.four_eyes,
        channel=pause.channel,
        implementation=pause.implementation,
        agent=from_json(pause.step)["agent"],
        tool=call.tool,
        call_id=from_json(call.call_id),
        arguments=from_json(call.arguments),
        masked_arguments=from_json(call.masked_arguments),
        summary=from_json(call.summary),
        schema_hash=call.schema_hash,
        is_sent=pause.send_state == "sent",
        answer=answer,
        acted_on=pause.acted,
        asked_at=instant(pause.asked_at),
        resolved_at=None if pause.resolved_at is None else instant(pause.resolved_at),
    )


def progress(unit: Unit, tenant: str, root: str, step_key: str | None) -> Progress | None:
    """One consistent look at a tree."""
    tree = unit.rows.get(TreeRow, root)
    if tree is None or tree.tenant != tenant:
        return None
    pause = unit.rows.get(PauseRow, step_key) if step_key is not None else None
    outcome: Any = tree.outcome
    return Progress(
        frame=frame_of(tree),
        ended=tree.status == "ended",
        at_rest=tree.at_rest,
        rest_no=tree.rest_no,
        untaken=pause is not None and pause.status == PauseStatus.RESOLVED,
        pending=tuple(pending_pauses(unit, root, with_owner_ids=True)),
        outcome=outcome,
        output=from_json(tree.output),
        failure=failure_of(tree.failure),
    )


def live_tree(unit: Unit, tenant: str, thread: str) -> LiveTree | None:
    """The thread's live tree."""
    found = unit.rows.select(TreeRow, equals(tenant=tenant, thread=thread, status="live"), limit=1)
    if not found:
        return None
    tree = found[0]
    return LiveTree(
        root=ExecutionId(tree.root),
        tenant=TenantId(tree.tenant),
        workflow_id=WorkflowId(tree.workflow_id),
        owner=None if tree.owner is None else OwnerId(tree.owner),
        started_at=instant(tree.started_at),
        fenced=unit.rows.get(FenceRow, tree.root, "") is not None,
    )


def thread_owner(unit: Unit, tenant: str, thread: str) -> OwnerId | None:
    """Who owns the thread."""
    row = unit.rows.get(ThreadRow, tenant, thread)
    return None if row is None or row.owner is None else OwnerId(row.owner)


def pending(unit: Unit, tenant: str, owner: str | None, limit: int) -> tuple[ListedPause, ...]:
    """The tenant's waiting pauses, oldest first."""
    where = equals(tenant=tenant, status=PauseStatus.PENDING.value, send_state="sent")
    if owner is not None:
        where = (*where, *equals(owner=owner))
    rows = unit.rows.select(PauseRow, where, order=("asked_at", "root", "seq"), limit=limit)
    return tuple(_listed(unit, pause, with_owner_id=owner is not None) for pause in rows)


def _listed(unit: Unit, pause: PauseRow, *, with_owner_id: bool) -> ListedPause:
    tree = unit.tree(pause.root)
    return ListedPause(
        thread=ThreadId(tree.thread),
        execution=ExecutionId(tree.root),
        workflow=tree.workflow,
        pause=pending_pause(unit, pause, with_owner_id=with_owner_id),
    )


def entries(unit: Unit, tenant: str, root: str) -> tuple[PauseEntry, ...]:
    """The permanent history of a tree."""
    rows = unit.rows.select(AnswerRow, equals(tenant=tenant, root=root), order=("seq",))
    return tuple(PauseEntry.model_validate(from_json(row.entry)) for row in rows)
