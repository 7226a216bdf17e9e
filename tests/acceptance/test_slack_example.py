"""The documented Slack example, run as it stands against a twin of Slack."""

import ast
import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agboss import App
from agboss.devserver.config import DevServerConfig
from agboss.errors import AgentFailedError
from docs.examples import slack_refunds
from tests.rig import SOON, call
from tests.slack_office import OutOfStockError, SlackTwin, open_office, serve, slack_office

REFUND = call("refund-tool", order_id="A-17")


@pytest.fixture
def slack() -> SlackTwin:
    return SlackTwin()


@pytest.fixture
async def app(temporal: DevServerConfig, tmp_path: Path, slack: SlackTwin) -> AsyncIterator[App]:
    async with open_office(slack_office(slack), temporal, tmp_path) as running:
        yield running


async def closed(slack: SlackTwin) -> None:
    async with asyncio.timeout(SOON.total_seconds()):
        while not slack.closed:
            await asyncio.sleep(0.01)


async def test_the_question_is_posted_under_its_pause_id(app: App, slack: SlackTwin) -> None:
    """S231: one post with the order and the tenant, whose key answers the pause."""
    paused = await serve(app, [REFUND], "done")
    ((pause_id, text),) = slack.posts
    assert (paused.status, text) == ("paused", "Refund order A-17 (acme)?")
    record = await app._index.find("acme", pause_id)  # type: ignore[arg-type]
    assert record is not None
    assert (record.status, record.is_sent) == ("pending", True)
    result = await app.resume(pause_id, decision={"approved": True}, answered_by="m", tenant_id="acme", timeout=SOON)
    assert (result.status, slack.refunded) == ("finished", ["A-17"])


async def test_the_question_is_closed_when_it_was_answered_elsewhere(app: App, slack: SlackTwin) -> None:
    """Field case F02: answered by a program, not by the post's buttons: closed once under the same id, with who and what."""
    await serve(app, [REFUND], "done")
    ((pause_id, _),) = slack.posts
    await app.resume(pause_id, decision={"approved": False}, answered_by="m-7", tenant_id="acme", timeout=SOON)
    await closed(slack)
    await app.sweep()
    assert slack.closed == [(pause_id, "Refund of order A-17: rejected by m-7")]


async def test_the_question_is_closed_when_a_sibling_failed(app: App, slack: SlackTwin) -> None:
    """S232: closed once under the same id, as no longer needed."""
    with pytest.raises(AgentFailedError) as raised:
        await serve(app, [REFUND, call("replace-tool")], "done")
    assert isinstance(raised.value.__cause__, OutOfStockError)
    await closed(slack)
    await app.sweep()
    assert slack.closed == [(slack.posts[0][0], "Refund of order A-17: no longer needed")]


async def test_the_question_is_closed_by_a_cancel(app: App, slack: SlackTwin) -> None:
    """S232: closed once under the same id, as cancelled; a second cancel and a sweep tell nothing more."""
    await serve(app, [REFUND], "done", thread_id="t")
    await app.cancel("t", tenant_id="acme")
    await closed(slack)
    await app.cancel("t", tenant_id="acme")
    await app.sweep()
    assert slack.closed == [(slack.posts[0][0], "Refund of order A-17: cancelled")]


def test_the_example_needs_one_import() -> None:
    """S233: all that it uses of the library comes from ``agboss`` itself."""
    tree = ast.parse(Path(slack_refunds.__file__).read_text())
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert sorted(filter(None, imported)) == ["agboss", "pydantic", "typing"]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
