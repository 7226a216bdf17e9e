"""Who tells a channel how its question closed: a claim with a lease, so that one does, and another after a crash."""

from agboss.domain.ids import ExecutionId, PauseId, StepKey
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.domain.resolutions import WithdrawalReason
from agboss.domain.rests import Owed
from agboss.ports.pause_index import GivenAnswer, WithdrawClaim
from agboss.stores.rows import CallRow, PauseRow, TurnRow, Where, equals
from agboss.stores.transactions.journal import planned_call
from agboss.stores.transactions.rules import is_answered, owed
from agboss.stores.transactions.trees import frame_of
from agboss.stores.transactions.unit import Unit, from_json


def claim(unit: Unit, step_key: str, lease: int, force: bool) -> WithdrawClaim | None:
    """``owed``, or a claim whose lease is over, becomes claimed."""
    pause = unit.rows.get(PauseRow, step_key)
    if pause is None or pause.status == PauseStatus.PENDING or not _claimable(unit, pause, force):
        return None
    tree = unit.tree(pause.root)
    call = unit.rows.get(CallRow, step_key)
    turn = unit.rows.get(TurnRow, call.turn_key) if call is not None else None
    if call is None or turn is None:
        return None
    pause.withdraw = "claimed"
    pause.claim += 1
    pause.claimed_until = unit.now + lease
    unit.rows.update(pause)
    unit.touch(tree)
    return WithdrawClaim(
        frame=frame_of(tree),
        step_key=StepKey(step_key),
        claim=pause.claim,
        pause_id=PauseId(pause.id),
        call=planned_call(call),
        channel=pause.channel,
        implementation=pause.implementation,
        implementations=tuple(from_json(pause.asked)) or (pause.implementation,),
        resolution=_closing(pause),
        answer=_answer(pause) if is_answered(pause) else None,
        timeout_seconds=pause.timeout / 1_000_000,
        node=turn.node,
        agent=turn.agent,
        execution=ExecutionId(pause.execution),
    )


def told(unit: Unit, step_key: str, claim: int) -> None:
    """Only the claim that is still the current one counts."""
    pause = unit.rows.get(PauseRow, step_key)
    if pause is not None and pause.withdraw == "claimed" and pause.claim == claim:
        pause.withdraw = "told"
        unit.rows.update(pause)


def owed_everywhere(unit: Unit, limit: int) -> tuple[Owed, ...]:
    """What is owed and nobody tells, of all trees."""
    each = (
        equals(withdraw="owed", send_state="sent"),
        (*equals(withdraw="owed", send_state="attempted"), Where("send_until", "<=", unit.now)),
        (*equals(withdraw="claimed"), Where("claimed_until", "<=", unit.now)),
    )
    due = [pause for where in each for pause in unit.rows.select(PauseRow, where, order=("asked_at",), limit=limit)]
    due.sort(key=lambda pause: pause.asked_at)
    return tuple(owed(pause) for pause in due[:limit])


def _claimable(unit: Unit, pause: PauseRow, force: bool) -> bool:
    if pause.withdraw == "claimed":
        return pause.claimed_until <= unit.now
    if pause.withdraw != "owed":
        return False
    # A send that is under way tells by itself, once it has returned; after its timeout it can't be under way any more.
    return force or pause.send_state == "sent" or pause.send_until <= unit.now


def _closing(pause: PauseRow) -> WithdrawalReason:
    cancelled = pause.resolution == PauseResolution.CANCELLED
    return PauseResolution.CANCELLED if cancelled else PauseResolution.WITHDRAWN


def _answer(pause: PauseRow) -> GivenAnswer:
    acted = {PauseStatus.TAKEN: True, PauseStatus.CANCELLED: False}
    return GivenAnswer(
        masked_decision=from_json(pause.masked_decision),
        responder=pause.responder or pause.decided_by or pause.implementation,
        is_decided=pause.resolution == PauseResolution.DECIDED,
        acted_on=acted.get(PauseStatus(pause.status)),
    )
