"""Pauses as people see them: masked, and without the ids they may not have."""

from typing import Any

from agboss.domain.asks import QuestionAsk, ToolCallApprovalAsk
from agboss.domain.pauses import PauseAnswerer, PauseStatus, PendingPause
from agboss.errors import PauseIndexError
from agboss.stores.rows import CallRow, PauseRow, equals
from agboss.stores.transactions.unit import Unit, from_json, instant


def pending_pauses(unit: Unit, root: str, *, with_owner_ids: bool) -> list[PendingPause]:
    """The tree's waiting pauses that were sent, in the order they were asked (R32)."""
    where = equals(root=root, status=PauseStatus.PENDING.value, send_state="sent")
    rows = unit.rows.select(PauseRow, where, order=("seq",))
    return [pending_pause(unit, pause, with_owner_id=with_owner_ids) for pause in rows]


def pending_pause(unit: Unit, pause: PauseRow, *, with_owner_id: bool) -> PendingPause:
    """One waiting pause; a CHANNEL pause's id is never shown (S129)."""
    call = unit.rows.get(CallRow, pause.step_key)
    if call is None:
        raise PauseIndexError(f"pause {pause.pause_key} has no call in the journal; the index is damaged")
    answered_by = PauseAnswerer(pause.answered_by)
    step = from_json(pause.step)
    return PendingPause(
        pause_id=pause.id if with_owner_id and answered_by is PauseAnswerer.THREAD_OWNER else None,
        answered_by=answered_by,
        agent=step["agent"],
        channel=pause.channel,
        item_index=step["item_index"],
        item_path=() if step["item_index"] is None else (step["item_index"],),
        child_execution_id=None if pause.execution == pause.root else pause.execution,
        ask=_ask(pause, call),
        asked_at=instant(pause.asked_at),
    )


def _ask(pause: PauseRow, call: CallRow) -> QuestionAsk[dict[str, Any]] | ToolCallApprovalAsk[dict[str, Any]]:
    shown = from_json(call.masked_arguments)
    call_id, summary = from_json(call.call_id), from_json(call.summary)
    if pause.answer_schema is None:
        return ToolCallApprovalAsk(call_id=call_id, tool=call.tool, arguments=shown, masked_arguments=shown, summary=summary)
    return QuestionAsk(
        call_id=call_id,
        tool=call.tool,
        arguments=shown,
        masked_arguments=shown,
        summary=summary,
        answer_schema=from_json(pause.answer_schema),
    )
