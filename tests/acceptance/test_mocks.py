"""Mocked components in a running application."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from agboss import App, Application, ChannelOutcome, ExecutionContext
from agboss.devserver.config import DevServerConfig
from agboss.testing.mocks import mock_of, mocked
from docs.examples.slack_refunds import SlackRefundApprovalChannel
from tests.rig import SOON, call
from tests.slack_office import RefundTool, SlackTwin, open_office, serve, slack_office

REFUND = call("refund-tool", order_id="A-17")


@pytest.fixture
def application() -> Application:
    return mocked(slack_office(SlackTwin()), SlackRefundApprovalChannel, RefundTool)


@pytest.fixture
async def app(application: Application, temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[App]:
    async with open_office(application, temporal, tmp_path) as running:
        yield running


async def test_a_mocked_send_decides(app: App) -> None:
    """S252: a scripted send decides at once; the mocked tool runs without a pause, and both calls are recorded."""
    slack, refund = mock_of(app, SlackRefundApprovalChannel), mock_of(app, RefundTool)
    slack.send.return_value = ChannelOutcome.decided({"approved": True})
    refund.run.return_value = "refunded"
    result = await serve(app, [REFUND], "done", record=True)
    assert (result.status, [entry.resolution for entry in result.record.pauses]) == ("finished", ["decided"])
    assert (slack.send.call_count, refund.run.call_count, slack.withdraw.call_count) == (1, 1, 0)
    assert refund.run.call_args.args[0].order_id == "A-17"


async def test_a_mocked_withdraw_records(app: App, application: Application) -> None:
    """S234: the double's withdraw is called once, with the question as it was sent, in the question's own frame."""
    slack = mock_of(application, SlackRefundApprovalChannel)
    frames: list[Any] = []

    async def told(_: object) -> None:
        frames.append((ExecutionContext().tenant_id, ExecutionContext().step.call_id))

    slack.withdraw.side_effect = told
    await serve(app, [REFUND], "done", thread_id="t")
    await app.cancel("t", tenant_id="acme")
    await app.sweep()
    assert slack.withdraw.call_count == 1
    (ask,), (withdrawal,) = slack.send.call_args.args, slack.withdraw.call_args.args
    assert (withdrawal.pause_id, withdrawal.value, withdrawal.resolution) == (ask.pause_id, ask.value, "cancelled")
    assert frames == [("acme", "t0c0")]


async def test_a_mocked_channel_waits(app: App) -> None:
    """S235: until told otherwise a mocked send awaits the reply, and its pause is answered by the id that it was sent."""
    slack = mock_of(app, SlackRefundApprovalChannel)
    paused = await serve(app, [REFUND], "done")
    (ask,) = slack.send.call_args.args
    done = await app.resume(ask.pause_id, decision={"approved": True}, answered_by="m", tenant_id="acme", timeout=SOON)
    assert (paused.status, done.status, mock_of(app, RefundTool).run.call_count) == ("paused", "finished", 1)
