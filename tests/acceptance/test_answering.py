"""Section 3 of the statements: answering a pause with a decision."""

import itertools
from typing import Any

import pytest

from agboss import ExecutionStatus
from agboss.errors import (
    DtoValidationError,
    NotPausedError,
    PauseAnswererError,
    ReplyInterpreterMissingError,
    UnknownPauseError,
)
from tests.rig import Rig, call


async def test_the_webhook_example(rig: Rig) -> None:
    """S039, S048: an answer by id and tenant gives the tree's result, with thread and execution id."""
    paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="thread-7")
    result = await rig.answer(rig.ids[0])
    assert (result.thread_id, result.execution_id, len(result.pending)) == ("thread-7", paused.execution_id, 0)


async def test_no_form_of_resume_takes_a_thread(rig: Rig) -> None:
    """S040: a pause is answered by its id, always."""
    await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    with pytest.raises(TypeError):
        await rig.app.resume(rig.ids[0], decision={"approved": True}, answered_by="m", thread_id="t")  # type: ignore[call-overload]


async def test_unknown_ids_all_look_the_same(rig: Rig) -> None:
    """S043, S044, A03, A10, invariant 9: a random id, another tenant's, an upper-cased, padded or malformed one: the same
    error to the letter, and the pause is untouched."""
    await rig.execute([call("pay-tool", amount=1)], "done")
    real = rig.ids[0]
    errors = []
    for wrong, tenant in [
        ("0" * 32, "acme"),
        (real, "other"),
        (real.upper(), "acme"),
        (f" {real}", "acme"),
        ("", "acme"),
        ("x" * 100_000, "acme"),
        ("\ud800", "acme"),
        ("' OR 1=1 --", "acme"),
    ]:
        with pytest.raises(UnknownPauseError) as raised:
            await rig.answer(wrong, tenant_id=tenant)
        errors.append((type(raised.value), raised.value.code, str(raised.value), dict(raised.value.data)))
    assert all(error == errors[0] for error in errors)
    assert errors[0][1] == "pause.unknown"
    assert (await rig.answer(real)).status is ExecutionStatus.FINISHED


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
async def test_answers_may_come_in_any_order(rig: Rig, order: tuple[int, ...]) -> None:
    """S045–S047, S060, B05, B12: approve, reject with a reason, approve with overrides, in all orders: each call has exactly one
    result of its kind, answered ones leave the list, nothing is sent again."""
    await rig.execute([call("pay-tool", amount=n) for n in (1, 2, 3)], "done")
    by_call = {ask.value.call_id: ask.pause_id for ask in rig.told.asks}
    decisions: list[Any] = [
        {"approved": True},
        {"approved": False, "reason": "too much"},
        {"approved": True, "override_arguments": {"amount": 30, "to": "bob"}},
    ]
    for number, which in enumerate(order):
        result = await rig.answer(by_call[f"t0c{which}"], decisions[which])
        assert len(result.pending) == 2 - number
    assert result.output.text == "done"
    assert sorted(run[1].amount for run in rig.told.runs) == [1, 30]  # type: ignore[attr-defined]
    assert rig.last_results() == {
        "t0c0": "pay-tool done",
        "t0c1": "Tool error: the call was rejected by manager-17: too much",
        "t0c2": "pay-tool done",
    }
    assert len(rig.ids) == 3


INVALID: list[tuple[str, Any]] = [
    ("empty", {}),
    ("approved is no truth value", {"approved": "yes"}),
    ("approved is a number", {"approved": 1}),
    ("unknown field", {"approved": True, "verdict": "ok"}),
    ("overrides on a rejection", {"approved": False, "override_arguments": {"amount": 1}}),
    ("overrides lack a field", {"approved": True, "override_arguments": {"to": "bob"}}),
    ("overrides of the wrong type", {"approved": True, "override_arguments": {"amount": "half"}}),
    ("overrides with an unknown field", {"approved": True, "override_arguments": {"amount": 1, "tip": 2}}),
    ("overrides are no object", {"approved": True, "override_arguments": [1]}),
    ("reason over two lines", {"approved": False, "reason": "no\nnever"}),
    ("reason too long", {"approved": False, "reason": "x" * 2_001}),
    ("no object", "approved"),
]


@pytest.mark.parametrize("decision", [decision for _, decision in INVALID], ids=[name for name, _ in INVALID])
async def test_an_invalid_decision_leaves_the_pause_untouched(rig: Rig, decision: Any) -> None:
    """S049–S053, R33, C12: refused before anything is recorded; a valid decision afterwards works."""
    await rig.execute([call("pay-tool", amount=5, card="secret-card")], "done")
    with pytest.raises(DtoValidationError) as raised:
        await rig.answer(rig.ids[0], decision)
    assert raised.value.code == "dto.validation"
    assert "secret-card" not in str(raised.value)
    assert (rig.told.runs, rig.kinds().count("resume")) == ([], 0)
    result = await rig.answer(rig.ids[0], record=True)
    assert (result.status, len(result.record.pauses)) == (ExecutionStatus.FINISHED, 1)  # type: ignore[union-attr]


async def test_the_field_at_fault_is_named(rig: Rig) -> None:
    """S052: the error names the field, not its value."""
    await rig.execute([call("pay-tool", amount=5)], "done")
    with pytest.raises(DtoValidationError, match="amount") as raised:
        await rig.answer(rig.ids[0], {"approved": True, "override_arguments": {"amount": "a-secret"}})
    assert "a-secret" not in str(raised.value)


async def test_a_long_unicode_reason_arrives_unchanged(rig: Rig) -> None:
    """S049, C12: approved=False is kept as it is, and the reason reaches the model to the letter."""
    await rig.execute([call("pay-tool", amount=5)], "done")
    reason = "Nein, größer als erlaubt — 太大了 🙅 " * 50
    await rig.answer(rig.ids[0], {"approved": False, "reason": reason.strip()})
    assert rig.last_results()["t0c0"] == f"Tool error: the call was rejected by manager-17: {reason.strip()}"


async def test_overrides_replace_the_arguments_whole(rig: Rig) -> None:
    """S056, R24: the tool runs once with the overrides; a field left out has the tool's default, and a Sensitive one keeps the
    asked value."""
    await rig.execute([call("pay-tool", amount=5, to="alice", card="secret-card")], "done")
    await rig.answer(rig.ids[0], {"approved": True, "override_arguments": {"amount": 2}})
    ran: Any = rig.told.runs[0][1]
    assert (ran.amount, ran.to, ran.card, len(rig.told.runs)) == (2, "somebody", "secret-card", 1)


async def test_a_rejection_without_a_reason_has_no_colon(rig: Rig) -> None:
    """S057–S059, B13: the exact text, and the tool is never entered."""
    await rig.execute([call("pay-tool", amount=5)], "done")
    result = await rig.answer(rig.ids[0], {"approved": False})
    assert rig.last_results() == {"t0c0": "Tool error: the call was rejected by manager-17"}
    assert (rig.told.runs, result.status) == ([], ExecutionStatus.FINISHED)


async def test_checks_come_in_one_order(rig: Rig) -> None:
    """S062, S066, S067, S140, R01, R02: of two faults the earlier check's error wins, also for an unknown id."""
    await rig.execute([call("pay-tool", amount=5)], "done")
    real, bad = rig.ids[0], {"approved": "yes"}
    resume: Any = rig.app.resume
    with pytest.raises(DtoValidationError):
        await resume("unknown", decision=bad, reply="x", answered_by="m", tenant_id="acme")
    with pytest.raises(DtoValidationError):
        await resume("unknown", answered_by="m", tenant_id="acme")
    for blank in ("", "  \n"):
        with pytest.raises(DtoValidationError):
            await resume("unknown", reply=blank, answered_by="m", tenant_id="acme")
    with pytest.raises(PauseAnswererError):
        await resume("unknown", decision=bad, tenant_id="acme")
    with pytest.raises(PauseAnswererError):
        await resume("unknown", decision=bad, answered_by="m", owner_id="o", tenant_id="acme")
    with pytest.raises(UnknownPauseError):
        await resume("unknown", decision=bad, owner_id="customer-1", tenant_id="acme")
    with pytest.raises(PauseAnswererError):
        await resume(real, decision=bad, owner_id="customer-1", tenant_id="acme")
    with pytest.raises(DtoValidationError):
        await resume(real, decision=bad, answered_by="m", tenant_id="acme")
    await rig.answer(real)
    with pytest.raises(NotPausedError):
        await resume(real, decision=bad, answered_by="m", tenant_id="acme")


async def test_a_reply_to_a_role_without_interpreter(rig: Rig) -> None:
    """S109: ReplyInterpreterMissingError, after the credential, and the pause is untouched; "0" is a reply like any other."""
    await rig.execute([call("pay-tool", amount=5)], "done")
    resume: Any = rig.app.resume
    with pytest.raises(PauseAnswererError):
        await resume(rig.ids[0], reply="0", owner_id="customer-1", tenant_id="acme")
    with pytest.raises(ReplyInterpreterMissingError) as raised:
        await resume(rig.ids[0], reply="0", answered_by="m", tenant_id="acme")
    assert raised.value.code == "pause.no-reply-interpreter"
    assert (await rig.answer(rig.ids[0])).status is ExecutionStatus.FINISHED


async def test_a_second_answer_moves_nothing(rig: Rig) -> None:
    """S152, S237, A02: after an answer, and after a rejection with a new question, the old id is NotPausedError; the new
    pause waits on."""
    await rig.execute([call("pay-tool", amount=1)], [call("pay-tool", amount=1)], "done")
    result = await rig.answer(rig.ids[0], {"approved": False})
    for decision in ({"approved": True}, {"approved": False}):
        with pytest.raises(NotPausedError) as raised:
            await rig.answer(rig.ids[0], decision)
    assert raised.value.code == "run.not-paused"
    assert (rig.told.runs, len(result.pending), len(set(rig.ids))) == ([], 1, 2)
    final = await rig.answer(rig.ids[1], record=True)
    assert [entry.decision for entry in final.record.pauses] == [{"approved": False}, {"approved": True}]  # type: ignore[union-attr]


async def test_eight_rounds(rig: Rig) -> None:
    """B11: rejected seven times and approved the eighth: eight sends, ids and entries; model calls grow linearly, the tool runs
    once."""
    await rig.execute(*[[call("pay-tool", amount=n)] for n in range(8)], "done")
    for number in range(8):
        result = await rig.answer(rig.ids[number], {"approved": number == 7}, record=True)
    assert len(set(rig.ids)) == len(result.record.pauses) == 8  # type: ignore[union-attr]
    assert (len(rig.models.requests), len(rig.told.runs), result.output.text) == (9, 1, "done")


async def test_a_message_on_the_thread_never_touches_a_pause(rig: Rig) -> None:
    """S040, G02 (without a reply): another execute on a waiting thread is refused, and the pause waits on."""
    from agboss.errors import ThreadBusyError

    paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    with pytest.raises(ThreadBusyError) as raised:
        await rig.execute("ok", thread_id="t")
    assert (raised.value.code, raised.value.data["execution_id"]) == ("run.thread-busy", paused.execution_id)
    assert (await rig.answer(rig.ids[0])).status is ExecutionStatus.FINISHED


async def test_the_same_input_twice_is_two_pauses(rig: Rig) -> None:
    """S145, C08: two executions with equal input never meet each other's records."""
    first = await rig.execute([call("pay-tool", amount=1)], "done")
    second = await rig.execute([call("pay-tool", amount=1)], "done")
    done = await rig.answer(rig.ids[0])
    third = await rig.execute([call("pay-tool", amount=1)], "done")
    assert done.execution_id == first.execution_id
    assert len(set(rig.ids)) == 3
    assert (second.status, third.status, len(rig.told.runs)) == ("paused", "paused", 1)
