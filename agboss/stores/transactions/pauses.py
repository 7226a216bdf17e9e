"""T1, T2, T2', T3, T3': a pause from its question to its call's result."""

import secrets

from agboss.decisions.keys import pause_id_hash, pause_key, position_key
from agboss.decisions.pause_machine import PauseEvent
from agboss.domain.events import ExecutionResumed
from agboss.domain.executions import StepRecord
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ExecutionId, PauseId, PauseKey, StepKey, TurnKey, WorkflowId
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.domain.rests import HolderRef
from agboss.errors import NotPausedError, PauseIndexError, PauseRecordExpiredError, UnknownPauseError
from agboss.ports.pause_index import (
    Answer,
    Opened,
    OpenFound,
    OpenPause,
    OpenRefused,
    OpenSend,
    PlannedCall,
    ResolvedPause,
    ResolvePause,
    SentAnswer,
    SentPause,
    Take,
    TakeNothing,
    TakeRefused,
    TakeRun,
)
from agboss.stores.rows import AnswerRow, CallRow, HolderRow, PauseRow, TreeRow, TurnRow, equals
from agboss.stores.transactions.journal import planned_call
from agboss.stores.transactions.rests import rest
from agboss.stores.transactions.rules import (
    answer_is_owed,
    close_record,
    emit,
    fenced,
    holder_of,
    move,
    set_moving,
    stopped,
    write_entry,
)
from agboss.stores.transactions.trees import failure_json, failure_of, frame_of
from agboss.stores.transactions.unit import Unit, from_json, to_json

NUDGE_AFTER = 30_000_000
"""Microseconds after which an untaken answer is signalled again (T1)."""


def resolve(unit: Unit, resolve: ResolvePause) -> ResolvedPause:
    """T1."""
    pause = unit.rows.get(PauseRow, resolve.step_key)
    if pause is None or pause.tenant != resolve.tenant:
        raise UnknownPauseError
    tree = unit.tree(pause.root)
    if tree.status != "live" or fenced(unit, tree, pause.path) or not move(pause, PauseEvent.ANSWER):
        raise NotPausedError
    _record(pause, resolve.answer, PauseResolution.REPLIED, unit.now)
    pause.nudge_at = unit.now + NUDGE_AFTER
    if pause.tells_answers:
        pause.withdraw = "owed"
    unit.rows.update(pause)
    write_entry(unit, pause)
    rest_no = tree.rest_no
    set_moving(unit, tree, _holder(unit, tree, pause))
    unit.touch(tree)
    return ResolvedPause(
        root=ExecutionId(tree.root),
        workflow_id=WorkflowId(pause.workflow_id),
        pause_key=PauseKey(pause.pause_key),
        rest_no=rest_no,
    )


def open(unit: Unit, opening: OpenPause) -> Opened:
    """T3."""
    tree = unit.tree(opening.ref.root)
    call, turn = _journaled(unit, opening.step_key)
    if stopped(unit, tree, unit.rows.get(HolderRow, opening.ref.holder), turn.path):
        return OpenRefused()
    holder_of(unit, tree, opening.ref, opening.workflow_id)
    pause = unit.rows.get(PauseRow, opening.step_key)
    if pause is None:
        _fail_if_expired(unit, tree.root, opening.step_key)
        pause = _new(unit, tree, opening, call, turn)
    elif pause.status != PauseStatus.PENDING or pause.send_state == "sent":
        return OpenFound(
            status=PauseStatus(pause.status),
            failed_send=pause.failed_send,
            failure=failure_of(pause.failure),
            owed=answer_is_owed(pause),
        )
    pause.send_state = "attempted"
    pause.attempts += 1
    pause.send_until = unit.now + pause.timeout
    unit.rows.update(pause)
    unit.touch(tree)
    return OpenSend(
        frame=frame_of(tree),
        pause_id=PauseId(pause.id),
        attempt=pause.attempts,
        call=planned_call(call),
        node=turn.node,
    )


def _new(unit: Unit, tree: TreeRow, opening: OpenPause, call: CallRow, turn: TurnRow) -> PauseRow:
    place = position_key(TurnKey(turn.turn_key), call.position)
    for other in unit.rows.select(PauseRow, equals(position_key=place, status=PauseStatus.PENDING.value)):
        # The same place with other arguments: the model's turn was made anew, nobody will take that answer.
        close_record(unit, other, PauseResolution.WITHDRAWN)
    pause_id = secrets.token_hex(16)
    pause = PauseRow(
        step_key=opening.step_key,
        pause_key=pause_key(opening.step_key),
        id=pause_id,
        id_hash=pause_id_hash(pause_id),
        tenant=tree.tenant,
        owner=tree.owner,
        root=tree.root,
        execution=opening.execution,
        holder=opening.ref.holder,
        workflow_id=opening.workflow_id,
        path=turn.path,
        position_key=place,
        step=_step(turn, call),
        status=PauseStatus.PENDING.value,
        channel=opening.channel,
        implementation=opening.implementation,
        answered_by=opening.answered_by.value,
        four_eyes=opening.four_eyes,
        timeout=round(opening.timeout_seconds * 1_000_000),
        seq=tree.seq + 1,
        asked_at=unit.now,
        answer_schema=None if opening.answer_schema is None else to_json(opening.answer_schema),
        tells_answers=opening.tells_answers,
        asked=to_json(opening.implementations),
    )
    unit.rows.insert(pause)
    return pause


def _step(turn: TurnRow, call: CallRow) -> str:
    record = StepRecord(
        agent=turn.agent,
        node=turn.node,
        visit=turn.visit,
        item_index=turn.item,
        tool=call.tool,
        call_id=from_json(call.call_id),
        tool_loop_iteration=turn.iteration,
        validation_attempts=turn.validation_attempts,
    )
    return to_json(record.model_dump(mode="json"))


def sent(unit: Unit, sent: SentPause) -> SentAnswer:
    """T3'."""
    tree = unit.tree(sent.ref.root)
    pause = unit.rows.get(PauseRow, sent.step_key)
    if pause is None:
        return _sent_after_all(unit, sent)
    reported: list[int] = from_json(pause.reported)
    if sent.attempt not in reported:
        pause.reported = to_json([*reported, sent.attempt])
        _narrow(pause, sent)
        if pause.send_state == "attempted" and (sent.outcome != "failed" or sent.attempt == pause.attempts):
            _apply_sent(unit, pause, sent)
        _owe_again(pause, sent)
        unit.rows.update(pause)
        unit.touch(tree)
    now = PauseStatus(pause.status)
    waits = now is PauseStatus.PENDING and pause.send_state == "sent"
    riding = rest(unit, sent.rest) if sent.rest is not None and waits else None
    return SentAnswer(
        status=now,
        failed_send=pause.failed_send,
        ignored=not _stands(pause, sent),
        superseded=now is PauseStatus.PENDING and pause.send_state == "attempted",
        owed=answer_is_owed(pause),
        rest=riding,
    )


def _apply_sent(unit: Unit, pause: PauseRow, sent: SentPause) -> None:
    """The first outcome of any attempt, but for the failure of one that a newer attempt has overtaken: that one may do
    better. An answer or a close that came first stands."""
    seen = sent.unclear or bool(sent.asked) or pause.attempts > 1
    if sent.outcome == "decided" and move(pause, PauseEvent.DECIDE):
        assert sent.answer is not None, "a send that decided has its answer"
        _record(pause, sent.answer, PauseResolution.DECIDED, unit.now)
        pause.decided_by = sent.decided_by
        # The channels of the role that asked before, or beside it; the one that decided knows.
        others = [name for name in from_json(pause.asked) if name != sent.decided_by]
        pause.asked = to_json(others)
        pause.withdraw = "owed" if others else "none"
        pause.closed_at = unit.now
        write_entry(unit, pause)
    elif sent.outcome == "failed" and move(pause, PauseEvent.FAIL_SEND):
        pause.failed_send = True
        pause.failure = failure_json(sent.failure)
        pause.resolution = PauseResolution.CANCELLED.value
        pause.resolved_at = pause.closed_at = unit.now
        pause.withdraw = "owed" if seen else "none"
        write_entry(unit, pause)
    elif sent.outcome != "sent" and pause.withdraw == "owed" and not seen:
        # Closed meanwhile, and now it turns out that nobody was asked: it decided by itself (S224), or raised (S225).
        pause.withdraw = "none"
    if sent.outcome != "failed":
        pause.send_state = "sent"
    elif not seen:
        pause.send_state = "none"


def _owe_again(pause: PauseRow, sent: SentPause) -> None:
    """The channel was told while this send was under way, so people may see the question still: it must be again."""
    asked_more = bool(sent.asked) or sent.attempt > 1
    seen = sent.outcome == "sent" or sent.unclear or (sent.outcome == "decided" and asked_more)
    if seen and pause.withdraw in ("claimed", "told"):
        pause.withdraw = "owed"


def _narrow(pause: PauseRow, sent: SentPause) -> None:
    """Of several channels those that raised or decided have nothing to be told (S224, S225), where no other attempt may have
    asked through them."""
    if sent.asked is not None and pause.attempts == 1:
        pause.asked = to_json(sent.asked)


def _stands(pause: PauseRow, sent: SentPause) -> bool:
    """Whether the record is as this outcome wanted it, by this call or an earlier one for the same attempt."""
    if sent.outcome == "failed":
        return pause.failed_send
    if sent.outcome == "decided":
        return pause.resolution == PauseResolution.DECIDED
    return pause.send_state == "sent"


def _sent_after_all(unit: Unit, sent: SentPause) -> SentAnswer:
    """The record is past retention: what a frozen worker reports changes nothing any more."""
    _journaled(unit, sent.step_key)
    row = unit.rows.get(AnswerRow, sent.ref.root, sent.step_key)
    taken = row is not None and bool(from_json(row.entry)["acted_on"])
    return SentAnswer(
        status=PauseStatus.TAKEN if taken else PauseStatus.CANCELLED, failed_send=False, ignored=True, superseded=False
    )


def take(unit: Unit, ref: HolderRef, step_key: str) -> Take:
    """T2."""
    tree = unit.tree(ref.root)
    call, turn = _journaled(unit, step_key)
    found = unit.rows.get(HolderRow, ref.holder)
    if stopped(unit, tree, found, turn.path):
        return TakeRefused(motion=1 if found is None else found.motion)
    holder = holder_of(unit, tree, ref)
    if not call.gated:
        return _run(unit, tree, holder, call, turn, None)
    pause = unit.rows.get(PauseRow, step_key)
    if pause is None:
        if call.result is None and call.failure is None:
            _fail_if_expired(unit, tree.root, step_key)
            return TakeNothing(motion=holder.motion)
        return _run(unit, tree, holder, call, turn, None)
    if pause.status == PauseStatus.PENDING:
        return TakeNothing(motion=holder.motion)
    if pause.status == PauseStatus.CANCELLED:
        return TakeRefused(motion=holder.motion)
    if move(pause, PauseEvent.TAKE):
        pause.closed_at = unit.now
        pause.nudge_at = None
        unit.rows.update(pause)
        assert pause.responder is not None and pause.answerer is not None
        emit(
            unit,
            tree,
            ExecutionResumed,
            answered_by=pause.responder,
            answerer=PauseAnswerer(pause.answerer),
            channel=pause.channel,
            tool=call.tool,
            resolution=PauseResolution.REPLIED,
        )
        set_moving(unit, tree, holder)
        unit.touch(tree)
    return _run(unit, tree, holder, call, turn, pause)


def _run(unit: Unit, tree: TreeRow, holder: HolderRow, call: CallRow, turn: TurnRow, pause: PauseRow | None) -> TakeRun:
    begun = call.begun
    if not begun and call.result is None and call.failure is None:
        call.begun = True
        unit.rows.update(call)
    return TakeRun(
        frame=frame_of(tree),
        motion=holder.motion,
        call=planned_call(call),
        decision=from_json(pause.decision) if pause is not None else None,
        decided_by=None if pause is None else pause.responder or pause.decided_by or pause.implementation,
        begun_before=begun,
        node=turn.node,
    )


def settle(unit: Unit, step_key: StepKey, result: str | None, failure: FailureRecord | None) -> PlannedCall:
    """T2'."""
    call, _ = _journaled(unit, step_key)
    if call.result is None and call.failure is None:
        call.result = None if result is None else to_json(result)
        call.failure = failure_json(failure)
        unit.rows.update(call)
        pause = unit.rows.get(PauseRow, step_key)
        if pause is not None:
            pause.settled_at = unit.now
            unit.rows.update(pause)
        unit.touch(unit.tree(call.root))
    return planned_call(call)


def _record(pause: PauseRow, answer: Answer, resolution: PauseResolution, now: int) -> None:
    pause.resolution = resolution.value
    pause.decision = to_json(answer.decision)
    pause.masked_decision = to_json(answer.masked_decision)
    pause.responder = answer.responder.name if answer.responder else None
    pause.answerer = answer.responder.answerer.value if answer.responder else None
    pause.resolved_at = now


def _holder(unit: Unit, tree: TreeRow, pause: PauseRow) -> HolderRow:
    holder = unit.rows.get(HolderRow, pause.holder)
    if holder is None:
        raise PauseIndexError(f"pause {pause.pause_key} of execution {tree.root} has no holder; the index is damaged")
    return holder


def _journaled(unit: Unit, step_key: str) -> tuple[CallRow, TurnRow]:
    call = unit.rows.get(CallRow, step_key)
    turn = unit.rows.get(TurnRow, call.turn_key) if call is not None else None
    if call is None or turn is None:
        raise PauseIndexError(f"step {step_key[:12]}… is not in the journal; was its turn recorded in another index?")
    return call, turn


def _fail_if_expired(unit: Unit, root: str, step_key: str) -> None:
    if unit.rows.get(AnswerRow, root, step_key) is not None:
        raise PauseRecordExpiredError(
            "the call was answered before, and its record is past retention; it is not asked twice. "
            "Raise pause_record_retention above the longest time a worker may be down"
        )
