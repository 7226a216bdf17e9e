"""Section 19 of the statements: concurrent answers, on one process's two facades and one index."""

import asyncio
from typing import Any

import pytest

from agboss import ChannelOutcome
from agboss.errors import NotPausedError, ResumeInsideSendError, WaitTimeoutError
from tests.rig import Rig, call

REJECT = {"approved": False}


async def test_twenty_answers_have_one_winner(rig: Rig) -> None:
    """C01, S237, invariant 1: one success, nineteen NotPausedError, one run, one entry, one resume event."""
    await rig.execute([call("pay-tool", amount=1)], "done")
    async with rig.declaration.connect(rig.settings) as other:
        answers = [
            app.resume(rig.ids[0], decision={"approved": True}, answered_by=f"m{n}", tenant_id="acme")
            for n in range(10)
            for app in (rig.app, other)
        ]
        results = await asyncio.gather(*answers, return_exceptions=True)
    won = [result for result in results if not isinstance(result, BaseException)]
    assert (len(won), sum(isinstance(result, NotPausedError) for result in results)) == (1, 19)
    await rig.until(lambda: "end" in rig.kinds())
    assert (len(rig.told.runs), rig.kinds().count("resume")) == (1, 1)


async def test_of_two_different_answers_everything_agrees_on_one(rig: Rig) -> None:
    """S238: 20 rounds; the winner's call, the record, the tool and the model's text show the same decision."""
    async with rig.declaration.connect(rig.settings) as other:
        for _ in range(20):
            seen, ran = len(rig.ids), len(rig.told.runs)
            started = await rig.execute([call("pay-tool", amount=1)], "done")
            pause_id = rig.ids[seen]
            results = await asyncio.gather(
                rig.app.resume(pause_id, decision={"approved": True}, answered_by="yes", tenant_id="acme"),
                other.resume(pause_id, decision=REJECT, answered_by="no", tenant_id="acme"),
                return_exceptions=True,
            )
            lost = [result for result in results if isinstance(result, NotPausedError)]
            assert len(lost) == 1
            approved = not isinstance(results[0], BaseException)
            result = await rig.app.execution(started.execution_id, tenant_id="acme", record=True)
            entry = result.record.pauses[0]  # type: ignore[union-attr]
            assert (entry.decision, entry.responder) == ({"approved": approved}, "yes" if approved else "no")
            assert len(rig.told.runs) - ran == approved
            expected = "pay-tool done" if approved else "Tool error: the call was rejected by no"
            assert rig.last_results()["t0c0"] == expected


async def test_answer_against_cancel(rig: Rig) -> None:
    """S221, R03, E01: 20 rounds; either the answer was taken, or the question was taken back, or the record says that the answer
    came too late to act."""
    for number in range(20):
        seen, ran = len(rig.ids), len(rig.told.runs)
        started = await rig.execute([call("pay-tool", amount=1)], "done", thread_id=f"t{number}")
        answered, _ = await asyncio.gather(
            rig.answer(rig.ids[seen], wait=False, timeout=None),
            rig.app.cancel(f"t{number}", tenant_id="acme", owner_id="customer-1"),
            return_exceptions=True,
        )
        await rig.until_ended(started)
        entries = await rig.app._index.entries("acme", started.execution_id)  # type: ignore[arg-type]
        assert len(entries) == 1
        withdrawn = [w for w in rig.told.withdrawals if w.pause_id == rig.ids[seen]]
        if isinstance(answered, NotPausedError):
            await rig.until(lambda: bool([w for w in rig.told.withdrawals if w.pause_id == rig.ids[seen]]))  # noqa: B023
            assert (entries[0].resolution, len(rig.told.runs) - ran) == ("cancelled", 0)
        else:
            assert (entries[0].resolution, withdrawn) == ("replied", [])
            assert len(rig.told.runs) - ran == entries[0].acted_on


@pytest.mark.parametrize("after_return", [False, True])
async def test_a_fast_answer_is_used_at_once(rig: Rig, after_return: bool) -> None:
    """C05, S243, R22: an answer from inside send (or right after it) never hangs; one that came first causes no pause."""
    later: list[asyncio.Task[Any]] = []

    async def answers_itself(ask: Any) -> ChannelOutcome:
        async def answer() -> None:
            await rig.app.resume(ask.pause_id, decision={"approved": True}, answered_by="fast", tenant_id="acme", wait=False)

        if after_return:
            later.append(asyncio.create_task(answer()))
        else:
            await answer()
        return ChannelOutcome.await_reply()

    rig.told.on_send = answers_itself
    for number in range(10):
        result = await rig.execute([call("pay-tool", amount=number)], "done", record=not after_return)
        await rig.until_ended(result)
        if not after_return:
            assert (result.status, result.record.pauses[0].resolution) == ("finished", "replied")  # type: ignore[union-attr]
            await rig.until(lambda: rig.kinds(result.execution_id)[-1:] == ["end"])  # noqa: B023
            assert rig.kinds(result.execution_id) == ["start", "resume", "end"]
    assert (len(rig.told.runs), rig.told.withdrawals) == (10, [])


async def test_waiting_inside_send_is_refused(rig: Rig) -> None:
    """R11: resume(wait=True) inside send would wait for itself, and says so."""
    raised: list[BaseException] = []

    async def waits(ask: Any) -> ChannelOutcome:
        try:
            await rig.app.resume(ask.pause_id, decision={"approved": True}, answered_by="x", tenant_id="acme")
        except ResumeInsideSendError as error:
            raised.append(error)
        return ChannelOutcome.await_reply()

    rig.told.on_send = waits
    await rig.execute([call("pay-tool", amount=1)], "done")
    assert "wait=False" in str(raised[0])


async def test_wait_false_and_timeouts(rig: Rig) -> None:
    """S241, S247: wait=False returns once the decision is recorded; a wait that is over is a clear error, and the decision stays."""
    from datetime import timedelta

    go_on = asyncio.Event()

    async def slow(name: str, input: object) -> str:
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        return "slow done"

    rig.told.on_run = slow
    await rig.execute([call("pay-tool", amount=1), call("publish-tool")], "done")
    ids = {ask.value.tool: ask.pause_id for ask in rig.told.asks}
    running = await rig.answer(ids["pay-tool"], wait=False, timeout=None)
    assert (running.status, running.pending) == ("running", [])
    with pytest.raises(WaitTimeoutError) as raised:
        await rig.answer(ids["publish-tool"], owner_id="customer-1", timeout=timedelta(milliseconds=300))
    assert raised.value.data["execution_id"] == running.execution_id
    go_on.set()
    await rig.until_ended(running)
    assert len(rig.told.runs) == 2


async def test_forged_and_repeated_signals_do_no_harm(rig: Rig) -> None:
    """S246, D04: wrong, undecodable and unknown signals are dropped; a repeated look moves nothing; an undecodable start fails
    the workflow instead of a task for ever."""
    from temporalio.client import Client, WorkflowFailureError

    started = await rig.execute([call("pay-tool", amount=1)], "done")
    record: Any = await rig.app._index.find("acme", rig.ids[0])  # type: ignore[arg-type]
    client = await Client.connect(rig.settings.temporal_address)
    handle = client.get_workflow_handle(record.workflow_id)
    for arguments in ([record.pause_key], [record.pause_key], ["no-such-key"], [{"a": 1}], [1, 2], []):
        await handle.signal("agboss.look", args=arguments)
    await handle.signal("agboss.look", "x" * 1_000_000)
    await handle.signal("no-such-signal", 7)
    await asyncio.sleep(0)
    result = await rig.answer(rig.ids[0], record=True)
    assert (result.output.text, len(rig.told.runs), len(result.record.pauses)) == ("done", 1, 1)  # type: ignore[union-attr]
    await rig.until(lambda: "end" in rig.kinds(started.execution_id))
    assert rig.kinds(started.execution_id).count("pause") == 1
    with pytest.raises(WorkflowFailureError) as raised:
        await client.execute_workflow(
            "clerk-workflow", "garbage", id=f"garbage-{started.execution_id}", task_queue=rig.declaration.name
        )
    assert "start input" in str(raised.value.cause)
