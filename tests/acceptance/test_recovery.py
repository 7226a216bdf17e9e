"""The sweep, retention, and Temporal being away."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from agboss import Settings
from agboss.errors import (
    ModelUnavailableError,
    NotPausedError,
    RunTerminatedError,
    TemporalUnavailableError,
    UnknownPauseError,
)
from tests.rig import FreeWorkflow, ReceiptWorkflow, Rig, TwoAgentsWorkflow, call


async def test_a_terminated_execution_is_swept(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """S160, D09 (one holder), invariants 7 and 8: after a terminate the sweep closes the pauses, takes the questions back and
    ends the tree; late answers are NotPausedError."""
    from temporalio.client import Client

    from agboss.temporal import limits

    started = await rig.execute([call("pay-tool", amount=1)], "done")
    record: Any = await rig.app._index.find("acme", rig.ids[0])  # type: ignore[arg-type]
    client = await Client.connect(rig.settings.temporal_address)
    await client.get_workflow_handle(record.workflow_id).terminate()
    monkeypatch.setattr(limits, "TAKE_OVER_AFTER", timedelta(0))
    report = await rig.app.sweep()
    assert (report.leased, report.ended, report.told) == (True, 1, 1)
    assert [w.resolution for w in rig.told.withdrawals] == ["cancelled"]
    with pytest.raises(RunTerminatedError):
        await rig.app.execution(started.execution_id, tenant_id="acme")
    with pytest.raises(NotPausedError):
        await rig.answer(rig.ids[0])


async def test_an_answer_is_recorded_while_temporal_is_away(rig: Rig) -> None:
    """S247, C04, invariant 3: the answer is kept with delivered=False, and the sweep delivers it; a start is refused, and the
    thread is free afterwards."""
    from agboss.devserver.process import free_port

    await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    away = Settings(index=rig.settings.index, temporal_address=f"127.0.0.1:{free_port()}")
    async with rig.declaration.connect(away) as app:
        result = await app.resume(rig.ids[0], decision={"approved": True}, answered_by="m", tenant_id="acme", wait=False)
        assert not result.delivered
        for _ in range(2):
            with pytest.raises(TemporalUnavailableError):
                await app.execute(FreeWorkflow, {"text": "x"}, tenant_id="acme", thread_id="t2")
    assert rig.told.runs == []
    index: Any = rig.app._index
    index._clock = type("Later", (), {"now": lambda self, clock=index._clock: clock.now() + timedelta(minutes=1)})()
    index._runner._clock = index._clock
    assert (await rig.app.sweep()).nudged == 1
    await rig.until_ended(result)
    assert len(rig.told.runs) == 1


async def test_retention_removes_records_and_never_entries(rig: Rig) -> None:
    """S161–S166, S183, S184, E03, R21: NotPausedError within the window, UnknownPauseError after it, the history stays, and a
    waiting pause stays however old."""
    started = await rig.execute([call("pay-tool", amount=1)], [call("pay-tool", amount=2)], "done")
    await rig.answer(rig.ids[0])
    index: Any = rig.app._index
    now: datetime = index._clock.now()
    assert await index.delete_resolved_before(now - timedelta(hours=24), limit=100) == 0
    with pytest.raises(NotPausedError):
        await rig.answer(rig.ids[0])
    assert await index.delete_resolved_before(now + timedelta(days=400), limit=100) == 1
    with pytest.raises(UnknownPauseError):
        await rig.answer(rig.ids[0])
    result = await rig.answer(rig.ids[1], record=True)
    assert (result.execution_id, len(result.record.pauses)) == (started.execution_id, 2)  # type: ignore[union-attr]


async def test_a_model_that_is_down_for_a_while_is_asked_again(rig: Rig) -> None:
    """A model endpoint that comes back within its patience costs nothing but time."""
    failures = [ModelUnavailableError("down", retry_after=0.05), ModelUnavailableError("down", retry_after=0.05)]
    rig.models._rules.insert(0, type(rig.models._rules[0])(lambda _: bool(failures)).reply(lambda _: _raise(failures)))
    assert (await rig.execute("up again")).output.text == "up again"
    assert len(rig.models.requests) == 3


def _raise(failures: list[ModelUnavailableError]) -> Any:
    raise failures.pop()


async def test_tools_that_misbehave(rig: Rig) -> None:
    """Design, agent loop: a tool that raises, takes too long or answers too much is a `Tool error` for the model."""

    async def misbehave(name: str, input: Any) -> str:
        if input.text == "raise":
            raise ValueError("no such thing")
        if input.text == "hang":
            import asyncio

            await asyncio.sleep(60)
        return "x" * 5_000_000

    rig.told.on_run = misbehave
    turn = [call("free-tool", text="raise"), call("short-tool", text="hang"), call("free-tool", text="much")]
    result = await rig.execute(turn, "sorry")
    assert rig.last_results() == {
        "t0c0": "Tool error: no such thing",
        "t0c1": "Tool error: short-tool did not end within 1 seconds",
        "t0c2": "Tool error: result too large: 5,000,000 bytes, at most 1,000,000 are allowed",
    }
    assert result.output.text == "sorry"


async def test_agents_in_sequence_and_structured_answers(rig: Rig) -> None:
    """The second agent's input is the first one's answer; a structured finish is validated, and an invalid answer is asked for
    again."""
    heard = await rig.execute("from the first", workflow=TwoAgentsWorkflow)
    assert heard.output.text == "heard: from the first"
    turns = (["no json at all"], [call("final-answer", total="many")], [call("final-answer", total=3, note="ok")])
    receipt = await rig.execute(*[turn[0] if isinstance(turn[0], str) else turn for turn in turns], workflow=ReceiptWorkflow)
    assert (receipt.output.total, receipt.output.note) == (3, "ok")
