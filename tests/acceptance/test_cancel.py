"""Cancelling a thread, and taking its questions back."""

import asyncio
from typing import Any

import pytest

from agboss import ChannelOutcome
from agboss.errors import NotPausedError, PauseAnswererError, RunCancelledError, ThreadOwnerError
from tests.rig import Rig, call


async def test_cancel_closes_all_pauses_and_takes_the_questions_back(rig: Rig) -> None:
    """S061, S063, S150, S159, S215, S219, S222, S226, E01: each sent question is taken back once, in its own frame; late answers
    are NotPausedError; the tools never run; a second cancel says false."""
    paused = await rig.execute([call("pay-tool", amount=1), call("publish-tool")], "done", thread_id="t")
    cancelled = await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    again = await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    assert (cancelled.cancelled, again.cancelled) == (True, False)
    assert await rig.app.pending(tenant_id="acme") == ()
    await rig.until_ended(paused)
    for ask in rig.told.asks:
        credential: dict[str, Any] = {"owner_id": "customer-1"} if ask.value.tool == "publish-tool" else {}
        with pytest.raises(NotPausedError):
            await rig.answer(ask.pause_id, **credential)
    told = {w.pause_id: w for w in rig.told.withdrawals}
    assert len(rig.told.withdrawals) == len(told) == 2
    for ask in rig.told.asks:
        assert (told[ask.pause_id].value, told[ask.pause_id].resolution) == (ask.value, "cancelled")
    sends = {f["key"]: {**f, "attempt": 1} for where, f in rig.told.frames if where == "send"}
    withdraws = {f["key"]: {**f, "attempt": 1} for where, f in rig.told.frames if where == "withdraw"}
    assert sends == withdraws
    assert rig.told.runs == []
    with pytest.raises(RunCancelledError):
        await rig.app.execution(paused.execution_id, tenant_id="acme")


async def test_another_tenants_thread_is_untouched(rig: Rig) -> None:
    """S063: the same thread name of another tenant waits on."""
    await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t", tenant_id="other")
    await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    await rig.app.cancel("t", tenant_id="acme", cancelled_by="operator-1")
    assert len(await rig.app.pending(tenant_id="other")) == 1


async def test_who_may_cancel_an_owned_thread(rig: Rig) -> None:
    """R26: exactly one of the matching owner_id and an operator's name."""
    await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    with pytest.raises(ThreadOwnerError):
        await rig.app.cancel("t", tenant_id="acme", owner_id="customer-2")
    for credentials in ({}, {"owner_id": "customer-1", "cancelled_by": "op"}):
        with pytest.raises(PauseAnswererError):
            await rig.app.cancel("t", tenant_id="acme", **credentials)
    assert (await rig.app.cancel("t", tenant_id="acme", cancelled_by="op")).cancelled


async def test_a_question_closed_during_its_send_is_taken_back_afterwards(rig: Rig) -> None:
    """S198, S223: withdraw comes once, after send has returned; the end is a cancel, not a failed agent."""
    sending, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    async def blocked(ask: object) -> ChannelOutcome:
        loop.call_soon_threadsafe(sending.set)
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        rig.told.order.append("sent")
        return ChannelOutcome.await_reply()

    async def noted(withdrawal: object) -> None:
        rig.told.order.append("withdrawn")

    rig.told.on_send, rig.told.on_withdraw = blocked, noted
    running = asyncio.create_task(rig.execute([call("pay-tool", amount=1)], "done", thread_id="t"))
    await sending.wait()
    assert (await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")).cancelled
    assert rig.told.withdrawals == []
    go_on.set()
    with pytest.raises(RunCancelledError):
        await running
    assert rig.told.order == ["send pay-tool", "sent", "withdrawn"]


async def test_an_answered_or_decided_pause_is_never_taken_back(rig: Rig) -> None:
    """S216, S224: after an answer, and after a channel that decided at once, withdraw is never called."""
    await rig.execute([call("pay-tool", amount=1)], "done")
    await rig.answer(rig.ids[0], {"approved": False})
    await rig.execute([call("approved-tool")], "done")
    await rig.app.sweep()
    assert rig.told.withdrawals == []


async def test_a_withdraw_that_raises_is_one_warning(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """S228–S230: one warning with both ids and without the pause's; the others are told, and the tree ends as after a good one."""

    async def failing(withdrawal: Any) -> None:
        if withdrawal.value.arguments.amount == 1:
            raise RuntimeError(f"can't close {withdrawal.pause_id}")

    rig.told.on_withdraw = failing
    paused = await rig.execute([call("pay-tool", amount=1), call("pay-tool", amount=2)], "done", thread_id="t")
    await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    await rig.until_ended(paused)
    await rig.app.sweep()
    warnings: list[Any] = [r for r in caplog.records if getattr(r, "code", "") == "channel.withdraw-failed"]
    assert [(w.levelname, w.execution_id, w.tenant_id) for w in warnings] == [("WARNING", paused.execution_id, "acme")]
    assert not any(pause_id in caplog.text for pause_id in rig.ids)
    assert len(rig.told.withdrawals) == 2


async def test_a_raising_send_fails_the_step_and_takes_the_others_back(rig: Rig) -> None:
    """S196, S197, S201, S225, R09, E02: AgentFailedError with the channel's own error as the cause; sent questions of the turn are
    withdrawn, the failed one is never told; no further model request."""
    from agboss.errors import AgentFailedError
    from tests.rig import PaymentDeclinedError

    first_sent = asyncio.Event()

    async def second_raises(ask: Any) -> ChannelOutcome:
        if ask.value.arguments.amount == 2:
            while not first_sent.is_set():
                await asyncio.sleep(0.01)
            raise PaymentDeclinedError("the desk is closed")
        first_sent.set()
        return ChannelOutcome.await_reply()

    rig.told.on_send = second_raises
    with pytest.raises(AgentFailedError) as raised:
        await rig.execute([call("pay-tool", amount=1), call("pay-tool", amount=2)], "done")
    assert isinstance(raised.value.__cause__, PaymentDeclinedError)
    assert (str(raised.value.__cause__), raised.value.code) == ("the desk is closed", "step.agent")
    sent = next(ask for ask in rig.told.asks if ask.value.arguments.amount == 1)
    await rig.until(lambda: bool(rig.told.withdrawals))
    assert [(w.pause_id, w.resolution) for w in rig.told.withdrawals] == [(sent.pause_id, "withdrawn")]
    with pytest.raises(NotPausedError):
        await rig.answer(sent.pause_id)
    assert (len(rig.models.requests), rig.told.runs) == (1, [])
