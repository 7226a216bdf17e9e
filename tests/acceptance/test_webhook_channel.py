"""A webhook channel in a running application, with a receiver over real HTTP."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import standardwebhooks

from agboss import App, Application, ScriptedModels, StartText
from agboss.devserver.config import DevServerConfig
from agboss.errors import AgentFailedError, DtoValidationError, WebhookRejectedError
from agboss.temporal.user_code import UserCodeTimeout
from tests.channels.asking import HookPayment, webhook
from tests.channels.hooks import SECRET, Hooks, Reply, receiving
from tests.rig import SOON, ClerkWorkflow, DeskFourEyes, DeskPublish, PayerWorkflow, Told, call, play, script
from tests.slack_office import open_office


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    with receiving() as running:
        yield running


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
async def app(temporal: DevServerConfig, tmp_path: Path, hooks: Hooks, told: Told) -> AsyncIterator[App]:
    models = ScriptedModels()
    models.when().reply(play)
    office = Application(
        name=f"hooks-{secrets.token_hex(4)}",
        workflows=[PayerWorkflow, ClerkWorkflow],
        channels=[HookPayment, DeskPublish, DeskFourEyes],
        models=[models],
        services=[told, webhook(hooks)],
    )
    async with open_office(office, temporal, tmp_path) as running:
        yield running


async def pay(app: App, **options: Any) -> Any:
    text = StartText(text=script([call("pay-tool", amount=90)], "=results"))
    return await app.execute(PayerWorkflow, text, tenant_id="acme", timeout=SOON, **options)


async def test_a_question_by_webhook_is_answered_decided_or_taken_back(app: App, hooks: Hooks, told: Told) -> None:
    """F04: the id in the body is all that an answer needs. Its answer is posted (F02). A 200 with a decision decides without a pause. A cancel is
    posted once, signed, and a second one and a sweep post nothing more (S217)."""
    paused = await pay(app)
    pause_id = json.loads(hooks.posts[0].body)["pause_id"]
    assert (paused.status, told.runs) == ("paused", [])
    done = await app.resume(pause_id, decision={"approved": True}, answered_by="m", tenant_id="acme", timeout=SOON)
    assert (done.status, len(told.runs)) == ("finished", 1)
    async with asyncio.timeout(SOON.total_seconds()):
        while len(hooks.posts) < 2:
            await asyncio.sleep(0.01)

    hooks.replies = [Reply(200, body=b'{"decision": {"approved": false, "reason": "too much"}}')]
    rejected = await pay(app)
    assert (rejected.status, len(told.runs)) == ("finished", 1)
    assert "too much" in rejected.output.text

    await pay(app, thread_id="t")
    await app.cancel("t", tenant_id="acme")
    async with asyncio.timeout(SOON.total_seconds()):
        while len(hooks.posts) < 5:
            await asyncio.sleep(0.01)
    await app.cancel("t", tenant_id="acme")
    await app.sweep()
    said = [standardwebhooks.Webhook(SECRET).verify(post.body, post.headers) for post in hooks.posts]
    types = [event["type"] for event in said]
    assert types == ["pause.asked", "pause.answered", "pause.asked", "pause.asked", "pause.cancelled"]
    assert (said[1]["pause_id"], said[1]["answer"]["approved"], said[1]["answer"]["responder"]) == (pause_id, True, "m")
    assert said[4]["pause_id"] == said[3]["pause_id"] != pause_id
    assert {event["execution_id"] for event in said[3:]}.isdisjoint({paused.execution_id, rejected.execution_id})


@pytest.mark.parametrize(
    ("reply", "cause", "text"),
    [
        (Reply(400, body=b"no"), WebhookRejectedError, r"refuses \(HTTP 400\)"),
        (Reply(200, body=b'{"decision": {"approved": "yes"}}'), DtoValidationError, "decision"),
    ],
)
async def test_a_refusal_or_a_wrong_decision_fails_the_step(
    app: App, hooks: Hooks, told: Told, reply: Reply, cause: type[Exception], text: str
) -> None:
    """S196, S054: at once, with the reason as its cause and without the pause's id (F05); the tool doesn't run."""
    hooks.always = reply
    with pytest.raises(AgentFailedError) as raised:
        await pay(app)
    assert isinstance(raised.value.__cause__, cause)
    assert text.replace("\\", "") in str(raised.value.__cause__)
    (post,) = hooks.posts
    assert json.loads(post.body)["pause_id"] not in f"{raised.value} {raised.value.__cause__} {vars(raised.value.__cause__)}"
    assert told.runs == []


async def test_a_receiver_that_is_away_for_too_long_is_told_that_it_is_over(app: App, hooks: Hooks, told: Told) -> None:
    """R34: at the tool's timeout the step fails, and the question, which may have been seen, is taken back."""
    hooks.always = Reply(503)
    text = StartText(text=script([call("quick-pay-tool", amount=90)], "paid"))
    with pytest.raises(AgentFailedError) as raised:
        await app.execute(ClerkWorkflow, text, tenant_id="acme", owner_id="customer-1", timeout=SOON)
    hooks.always = Reply()
    assert isinstance(raised.value.__cause__, UserCodeTimeout)
    types: list[str] = []
    async with asyncio.timeout(SOON.total_seconds()):
        while types[-1:] != ["pause.cancelled"]:
            await asyncio.sleep(0.01)
            types = [json.loads(post.body)["type"] for post in hooks.posts]
    assert types[:2] == ["pause.asked", "pause.asked"]
    assert told.runs == []
