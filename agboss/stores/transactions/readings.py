"""Readings of replies: kept until they are read, and settled in one transaction with the answer they give."""

from typing import Any

from agboss.decisions.keys import reading_digest
from agboss.domain.conversation import Usage
from agboss.domain.ids import ReadingId, StepKey, TenantId
from agboss.domain.pauses import PauseAnswerer
from agboss.errors import DtoValidationError, NotPausedError, UnknownPauseError
from agboss.ports.pause_index import BeginReading, Reading, ReadingPlace, ResolvePause, Responder, SettleReading
from agboss.stores.rows import CallRow, PauseRow, ReadingRow, TurnRow, Where
from agboss.stores.transactions.journal import planned_call
from agboss.stores.transactions.pauses import resolve
from agboss.stores.transactions.reads import record_of
from agboss.stores.transactions.trees import failure_json, failure_of, frame_of
from agboss.stores.transactions.unit import Unit, from_json, to_json


def begin(unit: Unit, begin: BeginReading) -> bool:
    """Keep a reply until it is read."""
    made = reading_digest(begin.reply, begin.responder.answerer.value, begin.responder.name)
    row = unit.rows.get(ReadingRow, begin.reading)
    if row is not None:
        if row.digest != made:
            raise DtoValidationError(
                "request_id: another reply, or another person's, came under it; use a new one for each message",
                problems=["request_id: used before"],
            )
        return False
    unit.rows.insert(
        ReadingRow(
            id=begin.reading,
            tenant=begin.tenant,
            step_key=begin.step_key,
            interpreter=begin.interpreter,
            responder=begin.responder.name,
            answerer=begin.responder.answerer.value,
            digest=made,
            reply=to_json(begin.reply),
            at=unit.now,
        )
    )
    return True


def look(unit: Unit, reading: str) -> Reading | None:
    """One consistent look."""
    row = unit.rows.get(ReadingRow, reading)
    return None if row is None else _reading(unit, row)


def settle(unit: Unit, settle: SettleReading) -> Reading | None:
    """T1, where there is an answer, and the outcome."""
    row = unit.rows.get(ReadingRow, settle.reading)
    if row is None:
        return None
    if row.outcome is None:
        row.outcome = "too-late" if settle.reason is None else "unreadable"
        row.reason = None if settle.reason is None else to_json(settle.reason)
        row.failure = failure_json(settle.failure)
        if settle.answer is not None:
            _answer(unit, row, settle)
        if settle.usage is not None:
            row.input_tokens, row.output_tokens = settle.usage.input_tokens, settle.usage.output_tokens
            row.cost = settle.usage.cost
        row.reply = None
        unit.rows.update(row)
    return _reading(unit, row)


def _answer(unit: Unit, row: ReadingRow, settle: SettleReading) -> None:
    assert settle.answer is not None
    given = ResolvePause(tenant=TenantId(row.tenant), step_key=StepKey(row.step_key), answer=settle.answer)
    try:
        resolved = resolve(unit, given)
    except (NotPausedError, UnknownPauseError):
        # Answered, taken back or gone while the reply was being read: it loses (S111). Nothing was changed.
        return
    row.outcome, row.rest_no = "answered", resolved.rest_no


def drop(unit: Unit, reading: str) -> None:
    """Forget a reading that is not settled."""
    row = unit.rows.get(ReadingRow, reading)
    if row is not None and row.outcome is None:
        unit.rows.delete(row)


def delete_before(unit: Unit, cutoff: int, limit: int) -> int:
    """Retention."""
    old = unit.rows.select(ReadingRow, (Where("at", "<", cutoff),), order=("at",), limit=limit)
    for row in old:
        unit.rows.delete(row)
    return len(old)


def _reading(unit: Unit, row: ReadingRow) -> Reading:
    outcome: Any = row.outcome
    usage = None
    if row.input_tokens is not None and row.output_tokens is not None:
        usage = Usage(input_tokens=row.input_tokens, output_tokens=row.output_tokens, cost=row.cost)
    return Reading(
        reading=ReadingId(row.id),
        interpreter=row.interpreter,
        reply=from_json(row.reply),
        responder=Responder(answerer=PauseAnswerer(row.answerer), name=row.responder),
        place=_place(unit, row),
        outcome=outcome,
        reason=from_json(row.reason),
        failure=failure_of(row.failure),
        rest_no=row.rest_no,
        usage=usage,
    )


def _place(unit: Unit, row: ReadingRow) -> ReadingPlace | None:
    pause = unit.rows.get(PauseRow, row.step_key)
    call = unit.rows.get(CallRow, row.step_key)
    record = None if pause is None else record_of(unit, pause)
    turn = None if call is None else unit.rows.get(TurnRow, call.turn_key)
    if record is None or call is None or turn is None:
        return None
    return ReadingPlace(pause=record, frame=frame_of(unit.tree(record.root)), call=planned_call(call), node=turn.node)
