"""Asking by webhook: what is posted, how often, and what the responses do. Over real HTTP."""

import asyncio
import json
import time
from datetime import timedelta
from typing import Any

import pytest
import standardwebhooks

from agboss import ChannelOutcome, PauseResolution, Webhook
from agboss.channels.webhook import verified
from agboss.channels.webhook_reply import LONGEST_BODY
from agboss.declare.context import CancellationSignal
from agboss.errors import (
    ConfigurationError,
    DtoValidationError,
    WebhookRejectedError,
    WebhookUndeliveredError,
)
from agboss.temporal.user_code import UserCodeTimeout
from tests.channels.asking import PAUSE_ID, ask, ask_within, take_back, tell_answer, webhook
from tests.channels.hooks import OTHER_SECRET, SECRET, Hooks, Reply

MASKED = {"amount": 90, "to": "A-17", "card": "••••••"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts begin short."""
    monkeypatch.setattr("agboss.channels.webhook_post.FIRST_WAIT", 0.02)


async def test_the_question_is_posted_signed(hooks: Hooks) -> None:
    """The Standard Webhooks library accepts the signature, sensitive arguments are masked, and the reply is awaited."""
    assert await ask(webhook(hooks)) == ChannelOutcome.await_reply()
    (post,) = hooks.posts
    assert standardwebhooks.Webhook(SECRET).verify(post.body, post.headers) == {
        "type": "pause.asked",
        "pause_id": PAUSE_ID,
        "channel": "payment-approval-channel",
        "tenant": "acme",
        "execution_id": "e-1",
        "ask": {
            "call_id": "c1",
            "tool": "pay-tool",
            "arguments": None,
            "masked_arguments": MASKED,
            "summary": "pay-tool: 90",
        },
    }
    assert (post.method, post.path, post.headers["content-type"]) == ("POST", "/hooks", "application/json")


async def test_real_arguments_are_posted_when_the_author_says_so(hooks: Hooks) -> None:
    """R16: a channel has the real arguments; they leave the process with ``real_arguments=True`` alone."""
    await ask(webhook(hooks, real_arguments=True))
    asked = json.loads(hooks.posts[0].body)["ask"]
    assert asked["arguments"] == {"amount": 90, "to": "A-17", "card": "4111-2222"}
    assert asked["masked_arguments"] == MASKED


async def test_all_secrets_sign(hooks: Hooks) -> None:
    """While secrets are changed, receivers with either one accept the event."""
    await ask(webhook(hooks, secrets=[SECRET, OTHER_SECRET]))
    for secret in (SECRET, OTHER_SECRET):
        standardwebhooks.Webhook(secret).verify(hooks.posts[0].body, hooks.posts[0].headers)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 503])
async def test_a_busy_receiver_is_asked_again_with_the_same_id(hooks: Hooks, status: int) -> None:
    """F04: the retry is the same event with the same webhook-id, so that a receiver can tell."""
    hooks.replies = [Reply(status), Reply(status)]
    assert await ask(webhook(hooks)) == ChannelOutcome.await_reply()
    assert len(hooks.posts) == 3
    assert len({(post.headers["webhook-id"], post.body) for post in hooks.posts}) == 1
    for post in hooks.posts:
        standardwebhooks.Webhook(SECRET).verify(post.body, post.headers)


@pytest.mark.parametrize("reply", [Reply(hangs=True), Reply(200, drips=True)])
async def test_a_receiver_that_hangs_is_asked_again(hooks: Hooks, reply: Reply) -> None:
    """An attempt as a whole has a timeout of its own; bytes that drip don't prolong it."""
    hooks.replies = [reply]
    await asyncio.wait_for(ask(webhook(hooks, timeout=timedelta(milliseconds=200))), 5)
    assert len(hooks.posts) == 2


async def test_the_receiver_s_wish_to_wait_is_heeded(hooks: Hooks) -> None:
    """Retry-After in seconds; one that makes no sense is skipped."""
    hooks.replies = [Reply(503, {"retry-after": "soon"}), Reply(429, {"retry-after": "1"})]
    began = time.monotonic()
    await ask(webhook(hooks))
    assert 1 <= time.monotonic() - began < 20


async def test_it_gives_up_at_the_tool_s_timeout(hooks: Hooks) -> None:
    """S227: the tool's timeout bounds all attempts, and none comes after it."""
    hooks.always = Reply(503)
    with pytest.raises(UserCodeTimeout):
        await ask_within(webhook(hooks), timeout=timedelta(seconds=0.6))
    count = len(hooks.posts)
    assert count > 1
    await asyncio.sleep(0.5)
    assert len(hooks.posts) == count


async def test_it_gives_up_when_nobody_wants_the_answer() -> None:
    """A signal that is set ends the attempts, also where nothing listens at the URL."""
    signal = CancellationSignal()
    asking = asyncio.create_task(ask(Webhook(url="http://127.0.0.1:9/hooks", secrets=SECRET), signal=signal))
    await asyncio.sleep(0.2)
    assert not asking.done()
    signal.set("the execution was cancelled")
    with pytest.raises(WebhookUndeliveredError, match=r"127\.0\.0\.1:9 didn't take pause\.asked: it can't be reached"):
        await asyncio.wait_for(asking, 5)


@pytest.mark.parametrize("status", [400, 401, 404, 410, 422])
async def test_a_refusal_fails_at_once(hooks: Hooks, status: int) -> None:
    """What time can't mend isn't tried again, and the receiver's own words aren't repeated."""
    hooks.always = Reply(status, body=f"no {PAUSE_ID}".encode())
    with pytest.raises(WebhookRejectedError, match=rf"refuses \(HTTP {status}\)") as raised:
        await ask(webhook(hooks))
    assert (len(hooks.posts), raised.value.status) == (1, status)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_aren_t_followed(hooks: Hooks, status: int) -> None:
    """F05: the pause's id goes to the URL that the author gave, and nowhere else."""
    hooks.always = Reply(status, {"location": hooks.url.replace("/hooks", "/elsewhere")})
    with pytest.raises(WebhookRejectedError, match="redirects aren't followed"):
        await ask(webhook(hooks))
    assert [post.path for post in hooks.posts] == ["/hooks"]


@pytest.mark.parametrize(
    "decision", [{"approved": True, "reason": "small"}, {"approved": False}, "yes", {"approved": 1}, []]
)
async def test_a_200_may_decide(hooks: Hooks, decision: Any) -> None:
    """S250: what is under ``decision`` is the channel's decision, valid or not: the engine validates it."""
    hooks.always = Reply(200, body=json.dumps({"decision": decision}).encode())
    outcome = await ask(webhook(hooks))
    assert (outcome.kind, getattr(outcome, "decision", None)) == ("decided", decision)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200),
        Reply(200, body=b"ok"),
        Reply(200, body=b'{"approved": true}'),
        Reply(200, body=b'[{"decision": {"approved": true}}]'),
        Reply(200, body=b'{"decision": null}'),
        Reply(200, body=b"[" * 60_000),
        Reply(200, body=b"\xff"),
        Reply(202, body=b'{"decision": {"approved": true}}'),
    ],
)
async def test_any_other_success_awaits_the_reply(hooks: Hooks, reply: Reply) -> None:
    """Only a 200 with a decision decides."""
    hooks.always = reply
    assert await ask(webhook(hooks)) == ChannelOutcome.await_reply()


async def test_a_huge_response_is_not_read(hooks: Hooks) -> None:
    """Nobody knows whether it decides, so the step fails; it isn't waited for in vain."""
    hooks.always = Reply(200, endless=True)
    with pytest.raises(DtoValidationError, match="more than 65,536 bytes"):
        await asyncio.wait_for(ask(webhook(hooks)), 5)
    hooks.always = Reply(200, body=b'{"decision": {"approved": true}}'.ljust(LONGEST_BODY))
    assert (await ask(webhook(hooks))).kind == "decided"


async def test_a_compressed_response_is_not_read(hooks: Hooks) -> None:
    """A small one may be a huge one."""
    hooks.always = Reply(200, {"content-encoding": "gzip"}, b"\x1f\x8b")
    with pytest.raises(DtoValidationError, match="compressed"):
        await ask(webhook(hooks))


@pytest.mark.parametrize("resolution", [PauseResolution.WITHDRAWN, PauseResolution.CANCELLED])
async def test_a_question_is_taken_back(hooks: Hooks, resolution: Any) -> None:
    """S217: under the pause's id, signed, as an event of its own."""
    await ask(webhook(hooks))
    await take_back(webhook(hooks), resolution)
    asked, taken = hooks.posts
    said = standardwebhooks.Webhook(SECRET).verify(taken.body, taken.headers)
    assert (said["type"], said["pause_id"]) == (f"pause.{resolution.value}", PAUSE_ID)
    assert asked.headers["webhook-id"] != taken.headers["webhook-id"]


@pytest.mark.parametrize("real_arguments", [False, True])
async def test_an_answer_is_told(hooks: Hooks, real_arguments: bool) -> None:
    """F02: signed, an event of its own with its own webhook-id; what was decided, by whom, and nothing unmasked that the question
    hadn't."""
    hook = webhook(hooks, real_arguments=real_arguments)
    await ask(hook)
    overrides = {"amount": 45, "to": "A-17", "card": "••••••"}
    await tell_answer(hook, {"approved": True, "reason": "half", "override_arguments": overrides}, acted_on=True)
    asked, answered = hooks.posts
    said = standardwebhooks.Webhook(SECRET).verify(answered.body, answered.headers)
    assert (said["type"], said["pause_id"]) == ("pause.answered", PAUSE_ID)
    assert said["answer"] == {
        "approved": True,
        "reason": "half",
        "masked_override_arguments": overrides,
        "responder": "manager-17",
        "acted_on": True,
    }
    assert said["ask"] == json.loads(asked.body)["ask"]
    assert ("4111-2222" in answered.body.decode()) == real_arguments
    assert asked.headers["webhook-id"] != answered.headers["webhook-id"]
    event = verified(answered.headers, answered.body, SECRET)
    assert event.answer is not None and (event.answer.approved, event.answer.responder) == (True, "manager-17")


def test_it_works_on_one_loop_after_another(hooks: Hooks) -> None:
    """User code's loop may be replaced; connections are closed after each post."""
    hook = webhook(hooks)
    for _ in range(3):
        asyncio.run(ask(hook))
    assert len(hooks.posts) == 3
    until = time.monotonic() + 5
    while hooks.connections and time.monotonic() < until:
        time.sleep(0.01)
    assert hooks.connections == 0


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, making the webhook says which one to install."""
    monkeypatch.setattr("agboss.channels.webhook_post.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"agboss-temporal\[webhook\]"):
        Webhook(url="https://approvals.example", secrets=SECRET)
