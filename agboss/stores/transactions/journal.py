"""The journal: model turns with their calls, and what a turn starts from."""

from dataclasses import replace

from agboss.domain.ids import ExecutionId, Path, StepKey, TurnKey
from agboss.domain.rests import HolderRef
from agboss.errors import PauseIndexError
from agboss.ports.pause_index import Conversation, EndAnswer, EndHolder, JsonObject, PlannedCall, Turn
from agboss.stores.rows import CallRow, HolderRow, TurnRow, Where, equals
from agboss.stores.transactions import trees
from agboss.stores.transactions.rules import stopped
from agboss.stores.transactions.trees import failure_json, failure_of, frame_of
from agboss.stores.transactions.unit import Unit, from_json, to_json


def conversation(
    unit: Unit, ref: HolderRef, execution: str, node: str, visit: int, path: str, input_from: str | None
) -> Conversation:
    """What a model turn starts from."""
    tree = unit.tree(ref.root)
    given: JsonObject = from_json(tree.input)
    if input_from is not None:
        before = unit.rows.select(TurnRow, equals(execution=execution, node=input_from), order=("visit", "iteration"))
        outputs = [row.output for row in before if row.output is not None]
        if not outputs:
            raise PauseIndexError(f"step {input_from!r} of execution {execution} has no output in the journal")
        given = from_json(outputs[-1])
    return Conversation(
        frame=frame_of(tree),
        input=given,
        turns=tuple(_turns(unit, equals(execution=execution, node=node, visit=visit, path=path))),
        fenced=stopped(unit, tree, unit.rows.get(HolderRow, ref.holder), path),
    )


def _turns(unit: Unit, where: tuple[Where, ...]) -> list[Turn]:
    rows = unit.rows.select(TurnRow, where, order=("iteration", "validation_attempts"))
    return [_turn(unit, row) for row in rows]


def record_turn(unit: Unit, turn: Turn) -> Turn:
    """A turn enters the journal, once."""
    tree = unit.tree(turn.root)
    row = unit.rows.get(TurnRow, turn.turn_key)
    if row is not None:
        return _turn(unit, row)
    unit.rows.insert(
        TurnRow(
            turn_key=turn.turn_key,
            root=turn.root,
            execution=turn.execution,
            node=turn.node,
            visit=turn.visit,
            path=turn.path,
            item=turn.item,
            iteration=turn.iteration,
            validation_attempts=turn.validation_attempts,
            agent=turn.agent,
            model=turn.model,
            text=to_json(turn.text),
            input_tokens=turn.input_tokens,
            output_tokens=turn.output_tokens,
            cost=turn.cost,
            output=None if turn.output is None else to_json(turn.output),
            at=unit.now,
        )
    )
    for call in turn.calls:
        unit.rows.insert(
            CallRow(
                step_key=call.step_key,
                turn_key=turn.turn_key,
                root=turn.root,
                position=call.position,
                call_id=to_json(call.call_id),
                tool=call.tool,
                raw_arguments=to_json(call.raw_arguments),
                arguments=to_json(call.arguments),
                masked_arguments=to_json(call.masked_arguments),
                summary=to_json(call.summary),
                schema_hash=call.schema_hash,
                gated=call.gated,
                result=None if call.result is None else to_json(call.result),
                failure=failure_json(call.failure),
            )
        )
    unit.touch(tree)
    return turn


def record_answer(unit: Unit, turn: Turn, end: EndHolder) -> tuple[Turn, EndAnswer | None]:
    """A holder's last turn and T4, in one commit."""
    stands = record_turn(unit, turn)
    if stands.output is None:
        return stands, None
    return stands, trees.end(unit, replace(end, output=stands.output))


def _turn(unit: Unit, row: TurnRow) -> Turn:
    calls = unit.rows.select(CallRow, equals(turn_key=row.turn_key), order=("position",))
    return Turn(
        turn_key=TurnKey(row.turn_key),
        root=ExecutionId(row.root),
        execution=ExecutionId(row.execution),
        node=row.node,
        visit=row.visit,
        path=Path(row.path),
        item=row.item,
        iteration=row.iteration,
        validation_attempts=row.validation_attempts,
        agent=row.agent,
        model=row.model,
        text=from_json(row.text),
        calls=tuple(planned_call(call) for call in calls),
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cost=row.cost,
        output=from_json(row.output),
    )


def planned_call(row: CallRow) -> PlannedCall:
    """A call as the port gives it."""
    return PlannedCall(
        step_key=StepKey(row.step_key),
        position=row.position,
        call_id=from_json(row.call_id),
        tool=row.tool,
        raw_arguments=from_json(row.raw_arguments),
        arguments=from_json(row.arguments),
        masked_arguments=from_json(row.masked_arguments),
        summary=from_json(row.summary),
        schema_hash=row.schema_hash,
        gated=row.gated,
        result=from_json(row.result),
        failure=failure_of(row.failure),
    )
