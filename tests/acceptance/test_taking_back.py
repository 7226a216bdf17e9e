"""Section on taking questions back: why, through which method, and how little depends on it."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agboss import (
    App,
    Application,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    ExecutionContext,
    FinishText,
    PauseAnswerer,
    PauseResolution,
    PauseStatus,
    ScriptedModels,
    StartText,
    agent,
    channel,
    channel_role,
    start,
    tool,
    workflow,
)
from agboss.devserver.config import DevServerConfig
from agboss.errors import AgentFailedError, RunCancelledError
from tests.rig import SOON, PaymentDeclinedError, Rig, Text, call, play, script
from tests.slack_office import open_office


def fail_once_asked(rig: Rig) -> None:
    """The turn's ungated tool fails as soon as its question is sent."""

    async def fails(tool: str, _: object) -> str:
        assert tool == "free-tool"
        await rig.until(lambda: bool(rig.ids))
        raise PaymentDeclinedError("the till is closed")

    rig.told.on_run = fails


async def status_and_resolution(app: App, pause_id: str, execution_id: str) -> tuple[PauseStatus, list[PauseResolution]]:
    record = await app._index.find("acme", pause_id)  # type: ignore[arg-type]
    assert record is not None
    entries = await app._index.entries("acme", execution_id)  # type: ignore[arg-type]
    return record.status, [entry.resolution for entry in entries]


async def test_a_failed_sibling_withdraws(rig: Rig) -> None:
    """S158, S220: an ungated call of the turn failed the step before the answer: the pause is CANCELLED, its resolution and its
    channel's withdrawal say WITHDRAWN."""
    fail_once_asked(rig)
    with pytest.raises(AgentFailedError):
        await rig.execute([call("pay-tool", amount=1), call("free-tool")], "done", thread_id="t")
    await rig.until(lambda: bool(rig.told.withdrawals))
    await rig.app.sweep()
    assert [(w.pause_id, w.resolution) for w in rig.told.withdrawals] == [(rig.ids[0], PauseResolution.WITHDRAWN)]
    execution_id = rig.told.frames[0][1]["execution"]
    found = await status_and_resolution(rig.app, rig.ids[0], execution_id)
    assert found == (PauseStatus.CANCELLED, [PauseResolution.WITHDRAWN])


@pytest.mark.parametrize("fails", [False, True], ids=["good withdraw", "failing withdraw"])
async def test_the_steps_error_is_the_same(rig: Rig, fails: bool) -> None:
    """S229: what the step failed with is the sibling's error and nothing else, however withdraw ends."""

    async def withdraw(_: object) -> None:
        if fails:
            raise RuntimeError("can't close")

    rig.told.on_withdraw = withdraw
    fail_once_asked(rig)
    with pytest.raises(AgentFailedError) as raised:
        await rig.execute([call("pay-tool", amount=1), call("free-tool")], "done", thread_id="t")
    assert isinstance(raised.value.__cause__, PaymentDeclinedError)
    assert (str(raised.value.__cause__), raised.value.__cause__.__cause__) == ("the till is closed", None)
    await rig.until(lambda: bool(rig.told.withdrawals) and "error" in rig.kinds())
    assert rig.kinds().count("error") == 1
    rig.told.on_run = None
    assert (await rig.execute("again", thread_id="t")).status == "finished"


@pytest.mark.parametrize("fails", [False, True], ids=["good withdraw", "failing withdraw"])
async def test_cancel_is_the_same(rig: Rig, fails: bool) -> None:
    """S229: cancel says true, the execution is cancelled and the thread is free, however withdraw ends."""

    async def withdraw(_: object) -> None:
        if fails:
            raise PaymentDeclinedError("can't close")

    rig.told.on_withdraw = withdraw
    paused = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="t")
    assert (await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")).cancelled
    await rig.until_ended(paused)
    await rig.until(lambda: bool(rig.told.withdrawals))
    with pytest.raises(RunCancelledError):
        await rig.app.execution(paused.execution_id, tenant_id="acme")
    found = await status_and_resolution(rig.app, rig.ids[0], paused.execution_id)
    assert found == (PauseStatus.CANCELLED, [PauseResolution.CANCELLED])
    assert (await rig.execute("again", thread_id="t")).status == "finished"


async def test_a_hanging_withdraw_is_cut_off(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """S227, S228: at the tool's timeout the context's signal is set, then the call is cut off: one warning, no second call."""
    seen: list[tuple[bool, float]] = []

    async def hangs(_: object) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            await asyncio.Event().wait()
        finally:
            seen.append((ExecutionContext().signal.is_set(), loop.time() - began))

    rig.told.on_withdraw = hangs
    paused = await rig.execute([call("quick-pay-tool", amount=1)], "done", thread_id="t")
    await rig.app.cancel("t", tenant_id="acme", owner_id="customer-1")
    await rig.until(lambda: bool(seen))
    await rig.until_ended(paused)
    await rig.app.sweep()
    ((signalled, seconds),) = seen
    assert signalled
    assert 0.9 < seconds < 10
    assert [record.levelname for record in caplog.records if "channel.withdraw-failed" in record.message] == ["WARNING"]


# --- channels without a withdraw of their own ---


@channel_role(name="quiet-role-channel", description="", approves=Text, answered_by=PauseAnswerer.CHANNEL)
class QuietRole(ChannelOf[Text]):
    pass


@channel(name="quiet-channel", description="Fills a role, and has no withdraw of its own")
class QuietChannel(QuietRole):
    async def send(self, ask: ChannelAsk[Text]) -> ChannelOutcome:
        return ChannelOutcome.await_reply()


@channel(name="bare-channel", description="A concrete channel that has no withdraw at all")
class BareChannel:
    async def send(self, ask: ChannelAsk[Text]) -> ChannelOutcome:
        return ChannelOutcome.await_reply()


@tool(name="quiet-tool", description="", channel=QuietRole)
class QuietTool:
    async def run(self, text: Text) -> str:
        return ""


@tool(name="bare-tool", description="", channel=BareChannel)
class BareTool:
    async def run(self, text: Text) -> str:
        return ""


@agent(name="quiet-agent", description="", prompt="", model="scripted/one", tools=[QuietTool, BareTool])
class QuietAgent:
    pass


@workflow(name="quiet-workflow", version="1", flow=[start(StartText).to_agent(QuietAgent).to_finish(FinishText)])
class QuietWorkflow:
    pass


@pytest.fixture
async def quiet(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[App]:
    models = ScriptedModels()
    models.when().reply(play)
    application = Application(
        name=f"quiet-{secrets.token_hex(4)}", workflows=[QuietWorkflow], channels=[QuietChannel], models=[models]
    )
    async with open_office(application, temporal, tmp_path) as app:
        yield app


@pytest.mark.parametrize("tool_name", ["quiet-tool", "bare-tool"])
async def test_a_channel_without_withdraw_is_silent(quiet: App, tool_name: str, caplog: pytest.LogCaptureFixture) -> None:
    """S217, S218: a role's implementation without a withdraw of its own, and a concrete channel with none: the pause closes,
    nothing is owed to the channel any more, and nobody is warned."""
    options: Any = {"tenant_id": "acme", "owner_id": "customer-1", "thread_id": "t"}
    paused = await quiet.execute(QuietWorkflow, StartText(text=script([call(tool_name)], "done")), timeout=SOON, **options)
    with caplog.at_level(logging.WARNING, logger="agboss"):
        assert (await quiet.cancel("t", tenant_id="acme", owner_id="customer-1")).cancelled
        async with asyncio.timeout(SOON.total_seconds()):
            while not (await quiet._index.progress("acme", paused.execution_id)).ended:  # type: ignore[arg-type, union-attr]
                await asyncio.sleep(0.01)
        await quiet.sweep()
    assert await quiet._index.owed_withdraws(limit=10) == ()
    assert [record.message for record in caplog.records if record.name.startswith("agboss")] == []
    entries = await quiet._index.entries("acme", paused.execution_id)  # type: ignore[arg-type]
    assert [entry.resolution for entry in entries] == [PauseResolution.CANCELLED]
