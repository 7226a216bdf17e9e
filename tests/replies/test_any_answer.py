"""Property: whatever an interpreter's model returns, only one valid answer within the role approves."""

import asyncio
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agboss import ScriptedModels
from agboss.assembly.assembled import assemble
from agboss.declare.context import CancellationSignal
from agboss.domain.asks import ToolCallApprovalDecision
from agboss.domain.conversation import ModelAnswer, ToolCall, Usage
from agboss.domain.ids import ReadingId
from agboss.domain.pauses import PauseAnswerer, PauseStatus
from agboss.ports.pause_index import BeginReading, OpenPause, Responder, SentPause
from agboss.stores.memory import InMemoryPauseIndex
from agboss.temporal.activities.read_reply import Readings
from agboss.temporal.reading_wire import Read
from agboss.temporal.user_code import UserCode
from agboss.testing.index_suite.world import ACME, SettableClock, World
from tests.replies.office import Refund, Told, declared

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
likely = st.fixed_dictionaries(
    {},
    optional={
        "approved": st.booleans() | st.sampled_from(["yes", 1, None, "true"]),
        "reason": st.none() | st.text(max_size=20) | st.integers(),
        "override_arguments": st.none()
        | json_values
        | st.fixed_dictionaries(
            {}, optional={"amount": st.integers(-5, 5000) | st.just(1e9) | st.text(max_size=4), "card": st.text(max_size=4)}
        ),
        "sure": st.booleans(),
    },
)
calls = st.builds(
    ToolCall,
    id=st.none() | st.just("c"),
    name=st.sampled_from(["answer", "answer", "answer", "refund-tool", "final-answer", ""]),
    arguments=likely | st.dictionaries(st.text(max_size=8), json_values, max_size=3) | st.text(max_size=30),
)
answers = st.builds(
    ModelAnswer, text=st.text(max_size=20), calls=st.lists(calls, max_size=2).map(tuple), usage=st.just(Usage())
)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(answer=answers)
def test_only_a_valid_answer_answers(answer: ModelAnswer) -> None:
    """S071, S072, S105, S106, G01, G04: in every other case the pause waits. What is recorded is what the model's one call
    says, and an approval's overrides are a valid input of the tool."""
    outcome, record = asyncio.run(_read(answer))
    expected = _valid(answer)
    if expected is None:
        assert outcome == "unreadable" and record.status is PauseStatus.PENDING and record.answer is None
        return
    assert outcome == "answered" and record.answer.decision["approved"] is expected.approved
    if expected.override_arguments is None:
        assert "override_arguments" not in record.answer.decision
    else:
        assert Refund.model_validate(record.answer.decision["override_arguments"]).amount <= 1000


def _valid(answer: ModelAnswer) -> ToolCallApprovalDecision | None:
    """The answer, said in another way than the code under test does."""
    if [call.name for call in answer.calls] != ["answer"] or not isinstance(answer.calls[0].arguments, dict):
        return None
    try:
        decision = ToolCallApprovalDecision.model_validate(answer.calls[0].arguments)
        if decision.override_arguments is not None:
            if set(decision.override_arguments) - {"amount", "card"}:
                return None
            Refund.model_validate_json(_json(decision.override_arguments))
    except ValidationError:
        return None
    return decision


def _json(value: Any) -> str:
    import json

    return json.dumps(value)


async def _read(answer: ModelAnswer) -> tuple[str, Any]:
    clock = SettableClock()
    index = InMemoryPauseIndex(clock=clock)
    world = World(index, clock)
    chat = ScriptedModels()
    chat.when().reply(lambda _: answer)
    assembled = assemble(declared(Told(), [chat], name="any"))
    ref = await world.start()
    (key,) = await _turn(world, ref)
    opened: Any = await index.open(
        OpenPause(
            ref=ref,
            execution=ref.root,
            workflow_id="app.root",  # type: ignore[arg-type]
            step_key=key,
            channel="refund-approval-channel",
            implementation="desk-refund-channel",
            answered_by=PauseAnswerer.CHANNEL,
            four_eyes=False,
            timeout_seconds=10,
        )
    )
    await index.sent(SentPause(ref=ref, step_key=key, attempt=1, outcome="sent"))
    reading = ReadingId("r")
    responder = Responder(answerer=PauseAnswerer.CHANNEL, name="manager-17")
    await index.begin_reading(
        BeginReading(
            reading=reading,
            tenant=ACME,
            step_key=key,
            interpreter="refund-reply-interpreter",
            reply="hm",
            responder=responder,
        )
    )
    user_code = UserCode()
    step = Read(reading=reading, interpreter="refund-reply-interpreter", tenant=ACME, tool="refund-tool", timeout_seconds=60)

    async def tell(*_: object) -> bool:
        return True

    try:
        result = await Readings(index, assembled, user_code).run(step, attempt=9, signal=CancellationSignal(), tell=tell)
    finally:
        await user_code.close()
    return result.outcome, await index.find(ACME, opened.pause_id)


async def _turn(world: World, ref: Any) -> Any:
    return await world.turn(ref, {"amount": 50, "card": "4111"})
