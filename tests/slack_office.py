"""The documented Slack example in an application, with a twin of Slack."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agboss import (
    App,
    Application,
    DomainError,
    FinishText,
    ScriptedModels,
    Settings,
    StartText,
    agent,
    provide,
    start,
    tool,
    workflow,
)
from agboss.devserver.config import DevServerConfig
from agboss.stores.migrate import migrate
from docs.examples.slack_refunds import RefundApprovalChannel, RefundRequest, SlackClient, SlackRefundApprovalChannel
from tests.rig import SOON, Text, play, script


@dataclass
class SlackTwin:
    """Slack as the example uses it; keeps what it was told, in order."""

    posts: list[tuple[str, str]] = field(default_factory=list)
    """Pause id and text."""
    closed: list[tuple[str, str]] = field(default_factory=list)
    refunded: list[str] = field(default_factory=list)

    async def post_approval(self, pause_id: str, text: str) -> None:
        self.posts.append((pause_id, text))

    async def close_approval(self, pause_id: str, text: str) -> None:
        self.closed.append((pause_id, text))


class OutOfStockError(DomainError):
    code = "stock.out"


@tool(name="refund-tool", description="Refunds an order", channel=RefundApprovalChannel)
class RefundTool:
    def __init__(self, slack: SlackClient) -> None:
        self._slack: Any = slack

    async def run(self, refund: RefundRequest) -> str:
        self._slack.refunded.append(refund.order_id)
        return "refunded"


@tool(name="replace-tool", description="Sends another one")
class ReplaceTool:
    """Asks nobody, and fails once the turn's question is posted."""

    def __init__(self, slack: SlackClient) -> None:
        self._slack: Any = slack

    async def run(self, text: Text) -> str:
        while not self._slack.posts:
            await asyncio.sleep(0.01)
        raise OutOfStockError("none left")


@agent(
    name="desk-agent",
    description="Serves",
    prompt="Serve.",
    model="scripted/one",
    tools=[RefundTool, ReplaceTool],
    max_turns=9,
)
class DeskAgent:
    pass


@workflow(name="desk-workflow", version="1", flow=[start(StartText).to_agent(DeskAgent).to_finish(FinishText)])
class DeskWorkflow:
    pass


def slack_office(slack: SlackTwin, *services: Any) -> Application:
    """The application; its model plays what the start's text says."""
    models = ScriptedModels()
    models.when().reply(play)
    return Application(
        name=f"slack-{secrets.token_hex(4)}",
        workflows=[DeskWorkflow],
        channels=[SlackRefundApprovalChannel],
        models=[models],
        services=[provide(SlackClient, lambda: slack), *services],
    )


@asynccontextmanager
async def open_office(application: Application, temporal: DevServerConfig, folder: Path) -> AsyncIterator[App]:
    """The application with a worker, on a fresh index."""
    url = f"sqlite:///{folder / 'index.db'}"
    migrate(url)
    settings = Settings(index=url, temporal_address=temporal.address, temporal_namespace=temporal.namespace)
    async with application.worker(settings) as app:
        yield app


async def serve(app: App, *turns: Any, **options: Any) -> Any:
    """Run the desk through these turns, for tenant acme."""
    return await app.execute(DeskWorkflow, StartText(text=script(*turns)), tenant_id="acme", timeout=SOON, **options)
