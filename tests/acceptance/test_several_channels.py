"""A role that several channels fill: one pause, all are asked, the first answer wins and the others hear of it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agboss import ChannelAsk, ChannelOutcome, PauseResolution
from agboss.devserver.config import DevServerConfig
from agboss.errors import AgentFailedError, NotPausedError
from tests.ears import ChatPayment, Ears, FaxPayment, MailPayment, activity_types, listening
from tests.rig import PaymentDeclinedError, Rig, call

Send = Callable[[ChannelAsk[Any]], Awaitable[ChannelOutcome]]


@pytest.fixture
async def three(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[tuple[Rig, Ears]]:
    async with listening(temporal, tmp_path, ChatPayment, MailPayment, FaxPayment) as running:
        yield running


def decides(approved: bool, *, after: float = 0.0) -> Send:
    async def send(_: object) -> ChannelOutcome:
        await asyncio.sleep(after)
        return ChannelOutcome.decided({"approved": approved})

    return send


def raises(error: Exception) -> Send:
    async def send(_: object) -> ChannelOutcome:
        raise error

    return send


async def test_all_are_asked_under_one_id(three: tuple[Rig, Ears]) -> None:
    """Several channels: each gets the question in its own frame under the one pause id; one answer, whichever way it came, and
    all that hear answers are told. One that doesn't isn't told "taken back" of a question that was answered (S216)."""
    rig, ears = three
    paused = await rig.execute([call("pay-tool", amount=1)], "done")
    assert ears.who(ears.asks) == ["chat", "fax", "mail"]
    assert len({ask.pause_id for _, ask in ears.asks}) == 1 and len(set(ears.frames)) == 1
    assert [pending.channel for pending in paused.pending] == ["payment-approval-channel"]
    finished = await rig.answer(ears.id)
    assert finished.output is not None and finished.output.text == "done"
    with pytest.raises(NotPausedError):
        await rig.answer(ears.id)
    await rig.until(lambda: len(ears.answers) == 2)
    await rig.app.sweep()
    assert (ears.who(ears.answers), ears.withdrawals, len(rig.told.runs)) == (["chat", "mail"], [], 1)
    activities = await activity_types(rig, paused.execution_id)
    assert activities.count("payment-approval-channel.send") == activities.count("payment-approval-channel.answered") == 1


async def test_sends_run_side_by_side(three: tuple[Rig, Ears]) -> None:
    """Several channels: none waits for another's ``send``."""
    rig, ears = three
    all_in = asyncio.Event()

    async def meets(_: object) -> ChannelOutcome:
        async with asyncio.timeout(10):
            while len(ears.asks) < 3:
                await asyncio.sleep(0.01)
        all_in.set()
        return ChannelOutcome.await_reply()

    ears.sends = dict.fromkeys(("chat", "mail", "fax"), meets)
    paused = await rig.execute([call("pay-tool", amount=1)], "done")
    assert paused.status == "paused" and all_in.is_set()


async def test_one_decides_for_all(three: tuple[Rig, Ears]) -> None:
    """Several channels: a decision at once is the call's; the rejection names that channel (R13), it is told nothing, and those
    that asked hear of it: by ``answered`` where they have it, else by ``withdraw``."""
    rig, ears = three
    ears.sends["chat"] = decides(False)
    finished = await rig.execute([call("pay-tool", amount=1)], "=results")
    assert finished.output is not None
    assert finished.output.text == "Tool error: the call was rejected by chat-payment-channel"
    await rig.until(lambda: bool(ears.answers and ears.withdrawals))
    await rig.app.sweep()
    ((mail, answered),), ((fax, withdrawal),) = ears.answers, ears.withdrawals
    assert (mail, answered.responder, answered.decision.approved) == ("mail", "chat-payment-channel", False)
    assert (fax, withdrawal.resolution) == ("fax", PauseResolution.WITHDRAWN)
    assert answered.pause_id == withdrawal.pause_id == ears.id
    (entry,) = await rig.app._index.entries("acme", finished.execution_id)  # type: ignore[arg-type]
    assert (entry.resolution, entry.responder) == (PauseResolution.DECIDED, None)


async def test_the_first_decision_wins(three: tuple[Rig, Ears], caplog: pytest.LogCaptureFixture) -> None:
    """Several channels: of two that decide the first counts, whatever their order in ``channels=``; the other is one warning."""
    rig, ears = three
    ears.sends = {"chat": decides(True, after=0.5), "mail": decides(False), "fax": decides(True, after=0.5)}
    with caplog.at_level(logging.WARNING, logger="agboss"):
        finished = await rig.execute([call("pay-tool", amount=1)], "=results")
    assert finished.output is not None and finished.output.text.endswith("rejected by mail-payment-channel")
    late = sorted(r.message.split("'")[1] for r in caplog.records if r.message.startswith("channel.send-too-late"))
    assert late == ["chat-payment-channel", "fax-payment-channel"]
    await rig.app.sweep()
    assert ears.answers == ears.withdrawals == []


async def test_one_that_raises_is_a_warning(three: tuple[Rig, Ears], caplog: pytest.LogCaptureFixture) -> None:
    """Several channels: as long as another one asks the step goes on without it; it is told nothing later (S225)."""
    rig, ears = three
    ears.sends["chat"] = raises(ConnectionError("the chat is down"))
    with caplog.at_level(logging.WARNING, logger="agboss"):
        paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    assert paused.status == "paused"
    (warning,) = [record for record in caplog.records if record.name.startswith("agboss")]
    assert warning.message.startswith("channel.send-failed: channel 'chat-payment-channel': ConnectionError")
    assert ears.id not in caplog.text
    await rig.answer(ears.id)
    await rig.until(lambda: bool(ears.answers))
    await rig.app.sweep()
    assert ears.who(ears.answers) == ["mail"]


async def test_all_raise_and_the_step_fails(three: tuple[Rig, Ears]) -> None:
    """S196, several channels: the first error is the cause, and there is nothing to take back."""
    rig, ears = three

    async def later(_: object) -> ChannelOutcome:
        await asyncio.sleep(0.3)
        raise ConnectionError("the chat is down")

    ears.sends = {"chat": later, "mail": raises(PaymentDeclinedError("no mail today")), "fax": later}
    with pytest.raises(AgentFailedError) as raised:
        await rig.execute([call("pay-tool", amount=1)], "done")
    assert isinstance(raised.value.__cause__, PaymentDeclinedError)
    await rig.app.sweep()
    assert ears.answers == ears.withdrawals == []


async def test_a_cancel_takes_all_back(three: tuple[Rig, Ears], caplog: pytest.LogCaptureFixture) -> None:
    """S215, S228, several channels: each takes its question back, and each fails on its own."""
    rig, ears = three
    paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    await rig.until_ended(paused)
    await rig.until(lambda: len(ears.withdrawals) == 3)
    await rig.app.sweep()
    assert (ears.who(ears.withdrawals), ears.answers) == (["chat", "fax", "mail"], [])


async def test_one_notice_fails_alone(three: tuple[Rig, Ears], caplog: pytest.LogCaptureFixture) -> None:
    """F02, several channels: one that can't take its buttons away is one warning, and the other is told all the same."""
    rig, ears = three

    async def fails_once(_: object) -> None:
        if len(ears.answers) == 1:
            raise RuntimeError("down")

    ears.on_answered = fails_once
    await rig.execute([call("pay-tool", amount=1)], "done")
    with caplog.at_level(logging.WARNING, logger="agboss"):
        await rig.answer(ears.id)
        await rig.until(lambda: len(ears.answers) == 2)
        await rig.app.sweep()
    warnings = [record.message for record in caplog.records if record.name.startswith("agboss")]
    assert len(warnings) == 1 and warnings[0].startswith("channel.answered-failed: RuntimeError of channel ")


async def test_a_slow_send_is_cut_off_alone(three: tuple[Rig, Ears]) -> None:
    """R34, several channels: one that overruns the tool's timeout may have asked, so it is told like those that did."""
    rig, ears = three

    async def hangs(_: object) -> ChannelOutcome:
        await asyncio.Event().wait()
        raise AssertionError

    ears.sends["mail"] = hangs
    paused = await rig.execute([call("quick-pay-tool", amount=1)], "done")
    assert paused.status == "paused"
    await rig.answer(ears.id)
    await rig.until(lambda: len(ears.answers) == 2)
    assert ears.who(ears.answers) == ["chat", "mail"]
