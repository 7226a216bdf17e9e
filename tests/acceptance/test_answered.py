"""A channel hears that its question was answered elsewhere, so that no live button stays."""

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agboss import ChannelAsk, ChannelOutcome, ExecutionContext
from agboss.devserver.config import DevServerConfig
from tests.ears import ChatPayment, Ears, FaxPayment, activity_types, listening
from tests.rig import Rig, TwoAgentsWorkflow, call


@pytest.fixture
async def chat(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[tuple[Rig, Ears]]:
    async with listening(temporal, tmp_path, ChatPayment) as running:
        yield running


async def closed(rig: Rig, execution_id: str) -> None:
    """Wait for the workflow's own end, which comes after the notices'."""
    from temporalio.client import Client

    progress: Any = await rig.app._index.progress("acme", execution_id)  # type: ignore[arg-type]
    client = await Client.connect(rig.settings.temporal_address, namespace=rig.settings.temporal_namespace)
    async with asyncio.timeout(30):
        while (await client.get_workflow_handle(progress.frame.workflow_id).describe()).close_time is None:
            await asyncio.sleep(0.05)


async def test_an_answer_elsewhere_is_told_once(chat: tuple[Rig, Ears]) -> None:
    """Field case F02: posted to a chat, answered over the facade: told once, under the same id, what was decided and by whom;
    in the frame of the step that asked. The sweep has nothing left to tell, and nothing is taken back."""
    rig, ears = chat
    paused = await rig.execute([call("pay-tool", amount=1)], "done")
    decision = {"approved": True, "reason": "fine", "override_arguments": {"amount": 2, "card": "4999-9999"}}
    finished = await rig.answer(ears.id, decision)
    assert finished.output is not None and finished.output.text == "done"
    await closed(rig, paused.execution_id)
    await rig.app.sweep()
    ((_, answered),) = ears.answers
    assert (answered.pause_id, answered.value) == (ears.id, ears.asks[0][1].value)
    assert (answered.channel, answered.responder) == ("payment-approval-channel", "manager-17")
    assert (answered.decision.approved, answered.decision.reason) == (True, "fine")
    assert answered.decision.override_arguments == {"amount": 2, "to": "somebody", "card": "••••••"}
    assert answered.acted_on in (None, True)
    assert ears.frames[0] == ears.frames[1] and ears.withdrawals == []
    assert ears.id not in repr(answered)
    activities = await activity_types(rig, paused.execution_id)
    assert activities.count("chat-payment-channel.answered") == 1


async def test_a_rejection_is_an_answer(chat: tuple[Rig, Ears]) -> None:
    """F02, S059: told like an approval, and the tool isn't run."""
    rig, ears = chat
    paused = await rig.execute([call("pay-tool", amount=1)], "done")
    await rig.answer(ears.id, {"approved": False, "reason": "too much"})
    await closed(rig, paused.execution_id)
    ((_, answered),) = ears.answers
    assert (answered.decision.approved, answered.decision.reason) == (False, "too much")
    assert rig.told.runs == []


async def test_the_call_doesn_t_wait_for_the_notice(chat: tuple[Rig, Ears]) -> None:
    """F02: the tool runs, the agent goes on, the next question is asked and the execution rests while the channel is still
    taking its buttons away; the execution's end waits for it."""
    rig, ears = chat
    released = asyncio.Event()

    async def slowly(_: object) -> None:
        while not released.is_set():
            await asyncio.sleep(0.01)

    ears.on_answered = slowly
    await rig.execute([call("pay-tool", amount=1)], [call("pay-tool", amount=2)], "done")
    first = ears.id
    again = await rig.answer(first)
    assert again.status == "paused" and len(rig.told.runs) == 1
    finished = await rig.answer(ears.id)
    assert finished.output is not None and finished.output.text == "done"
    await rig.until(lambda: len(ears.answers) == 2)
    released.set()
    await closed(rig, finished.execution_id)
    assert [answered.pause_id for _, answered in ears.answers] == [first, ears.id]


async def test_a_fast_answer_is_told_after_its_send(chat: tuple[Rig, Ears]) -> None:
    """S243, F02: answered while ``send`` is still posting: told by the step itself, and only once ``send`` has returned."""
    rig, ears = chat
    order: list[str] = []

    async def answers(ask: ChannelAsk[Any]) -> ChannelOutcome:
        await rig.answer(ask.pause_id, wait=False, timeout=None)
        await asyncio.sleep(0.3)
        order.append("send returns")
        return ChannelOutcome.await_reply()

    async def heard(_: object) -> None:
        order.append("answered")

    ears.sends["chat"], ears.on_answered = answers, heard
    finished = await rig.execute([call("pay-tool", amount=1)], "done")
    assert finished.output is not None and finished.output.text == "done"
    await closed(rig, finished.execution_id)
    assert order == ["send returns", "answered"]
    assert "pause" not in rig.kinds(finished.execution_id)


async def test_a_channel_s_own_decision_is_not_told(chat: tuple[Rig, Ears]) -> None:
    """F02: what the channel decided at once it knows; no step is spent on it."""
    rig, ears = chat

    async def decides(_: object) -> ChannelOutcome:
        return ChannelOutcome.decided({"approved": True})

    ears.sends["chat"] = decides
    finished = await rig.execute([call("pay-tool", amount=1)], "done")
    await closed(rig, finished.execution_id)
    await rig.app.sweep()
    assert ears.answers == ears.withdrawals == []
    assert "chat-payment-channel.answered" not in await activity_types(rig, finished.execution_id)


async def test_a_question_taken_back_is_not_answered(chat: tuple[Rig, Ears]) -> None:
    """S215: without an answer the channel is told by ``withdraw`` alone."""
    rig, ears = chat
    paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    await closed(rig, paused.execution_id)
    await rig.app.sweep()
    assert (ears.who(ears.withdrawals), ears.answers) == (["chat"], [])


async def test_an_overtaken_answer_is_told(chat: tuple[Rig, Ears], monkeypatch: pytest.MonkeyPatch) -> None:
    """R03, F02: recorded, and then a cancel overtakes it: told that nobody acted on it; it is not taken back."""
    rig, ears = chat
    paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")

    async def lost(*_: object) -> bool:
        return False

    # The signal is lost, so that the step doesn't look before the cancel comes.
    monkeypatch.setattr(rig.app._gateway, "look", lost)
    await rig.answer(ears.id, wait=False, timeout=None)
    await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    await closed(rig, paused.execution_id)
    await rig.app.sweep()
    ((_, answered),) = ears.answers
    assert (answered.acted_on, answered.decision.approved, ears.withdrawals, rig.told.runs) == (False, True, [], [])


async def test_the_sweep_tells_for_a_lost_holder(chat: tuple[Rig, Ears], monkeypatch: pytest.MonkeyPatch) -> None:
    """F02: the answer was recorded, and its workflow terminated before it told: the sweep does, once."""
    from temporalio.client import Client

    rig, ears = chat
    await rig.execute([call("pay-tool", amount=1)], "done")
    record: Any = await rig.app._index.find("acme", ears.id)  # type: ignore[arg-type]
    client = await Client.connect(rig.settings.temporal_address)
    await client.get_workflow_handle(record.workflow_id).terminate()
    await rig.answer(ears.id, wait=False, timeout=None)
    reports = [await rig.app.sweep() for _ in range(2)]
    assert [report.told for report in reports] == [1, 0]
    ((_, answered),) = ears.answers
    assert answered.acted_on is None


@pytest.mark.parametrize("how", ["raises", "hangs"])
async def test_a_failed_notice_is_one_warning(chat: tuple[Rig, Ears], how: str, caplog: pytest.LogCaptureFixture) -> None:
    """F02: a channel that raises or overruns the tool's timeout is one ``channel.answered-failed`` with both ids and no pause
    id; the execution ends as after a good one, and it isn't told again."""
    rig, ears = chat
    seen: list[bool] = []

    async def fails(answered: Any) -> None:
        if how == "raises":
            raise RuntimeError(f"can't close {answered.pause_id}")
        try:
            await asyncio.Event().wait()
        finally:
            seen.append(ExecutionContext().signal.is_set())

    ears.on_answered = fails
    paused = await rig.execute([call("quick-pay-tool", amount=1)], "done")
    with caplog.at_level(logging.WARNING, logger="agboss"):
        finished = await rig.answer(ears.id)
        assert finished.output is not None and finished.output.text == "done"
        await closed(rig, paused.execution_id)
        await rig.app.sweep()
    (warning,) = [record for record in caplog.records if record.name.startswith("agboss")]
    assert warning.levelname == "WARNING" and warning.message.startswith("channel.answered-failed: ")
    assert paused.execution_id in warning.message and "'acme'" in warning.message
    assert ears.id not in caplog.text and len(ears.answers) == 1
    assert seen == ([True] if how == "hangs" else [])


async def test_a_channel_without_the_hook_costs_nothing(temporal: DevServerConfig, tmp_path: Path) -> None:
    """F02, S216: without ``answered`` an answer leads to no step and leaves nothing owed."""
    async with listening(temporal, tmp_path, FaxPayment) as (rig, ears):
        paused = await rig.execute([call("pay-tool", amount=1)], "done")
        await rig.answer(ears.id)
        assert await rig.app._index.owed_withdraws(limit=10) == ()
        await closed(rig, paused.execution_id)
        activities = await activity_types(rig, paused.execution_id)
        assert activities == ["clerk-agent", "fax-payment-channel.send", "pay-tool", "clerk-agent"]
        assert ears.withdrawals == []


async def test_a_run_that_continues_as_new_waits_for_its_notices(chat: tuple[Rig, Ears]) -> None:
    """F02: a run in which a notice is under way doesn't leave it behind when it continues as new."""
    from agboss.temporal.wire import RunLimits

    rig, ears = chat
    rig.app._starter.run_limits = RunLimits(events=20)

    async def slowly(_: object) -> None:
        await asyncio.sleep(0.5)

    ears.on_answered = slowly
    await rig.execute([call("pay-tool", amount=1)], "paid", workflow=TwoAgentsWorkflow)
    finished = await rig.answer(ears.id)
    await rig.until_ended(finished)
    await rig.app.sweep()
    assert [answered.pause_id for _, answered in ears.answers] == [ears.id]
