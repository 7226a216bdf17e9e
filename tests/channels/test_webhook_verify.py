"""Whether a request to a receiver comes from agboss. Real posts, changed as an attacker would."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import standardwebhooks
from pydantic import ValidationError

from agboss.channels.webhook import verified
from agboss.errors import ConfigurationError, WebhookUnverifiedError
from tests.channels.asking import PAUSE_ID, ask, webhook
from tests.channels.hooks import OTHER_SECRET, SECRET, Hooks, Post


@pytest.fixture
async def post(hooks: Hooks) -> Post:
    """A good one."""
    await ask(webhook(hooks))
    return hooks.posts[0]


def without(name: str) -> Callable[[Post], Post]:
    return lambda post: replace(post, headers={n: v for n, v in post.headers.items() if n != name})


def given(name: str, value: str) -> Callable[[Post], Post]:
    return lambda post: replace(post, headers=post.headers | {name: value})


def signed(body: bytes | None = None, *, by: str = SECRET, at: timedelta = timedelta(0)) -> Callable[[Post], Post]:
    """The post as somebody else's sender would sign it."""

    def sign(post: Post) -> Post:
        sent, moment = post.body if body is None else body, datetime.now(UTC) + at
        signature = standardwebhooks.Webhook(by).sign(post.headers["webhook-id"], moment, sent.decode())
        stamps = {"webhook-timestamp": str(int(moment.timestamp())), "webhook-signature": signature}
        return replace(post, body=sent, headers=post.headers | stamps)

    return sign


def test_a_good_request_is_an_event(post: Post) -> None:
    """The receiver reads what was asked; its repr doesn't show the pause's id or the question."""
    event = verified(post.headers, post.body, SECRET)
    assert (event.type, event.pause_id, event.tenant, event.execution_id) == ("pause.asked", PAUSE_ID, "acme", "e-1")
    assert (event.ask.tool, event.ask.arguments, event.ask.masked_arguments["amount"]) == ("pay-tool", None, 90)
    assert event.webhook_id == post.headers["webhook-id"]
    assert PAUSE_ID not in repr(event)
    assert "A-17" not in repr(event)
    with pytest.raises(ValidationError):
        event.tenant = "other"  # type: ignore[misc]


def test_headers_may_be_in_any_case(post: Post) -> None:
    """As HTTP has it."""
    assert verified({name.title(): value for name, value in post.headers.items()}, post.body, [SECRET])


def test_secrets_may_be_changed(post: Post) -> None:
    """F08: any of the receiver's secrets will do, while they are changed."""
    assert verified(post.headers, post.body, [OTHER_SECRET, SECRET]).pause_id == PAUSE_ID


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(without("webhook-signature"), id="unsigned"),
        pytest.param(without("webhook-id"), id="no id"),
        pytest.param(without("webhook-timestamp"), id="no time"),
        pytest.param(given("webhook-signature", ""), id="an empty signature"),
        pytest.param(given("webhook-signature", "v1"), id="half a signature"),
        pytest.param(given("webhook-signature", "v1,!"), id="no base64"),
        pytest.param(given("webhook-signature", "v1,é"), id="no ASCII"),
        pytest.param(given("webhook-signature", "v1a,AAAA"), id="another scheme"),
        pytest.param(given("webhook-timestamp", "nan"), id="no number"),
        pytest.param(given("webhook-timestamp", "1e300"), id="no time at all"),
        pytest.param(given("webhook-id", "msg_other"), id="another id"),
        pytest.param(signed(by=OTHER_SECRET), id="the wrong key"),
        pytest.param(signed(at=timedelta(minutes=-6)), id="six minutes old"),
        pytest.param(signed(at=timedelta(minutes=6)), id="from the future"),
        pytest.param(lambda post: replace(post, body=post.body.replace(b"acme", b"evil")), id="tampered"),
        pytest.param(lambda post: replace(post, body=b"\xff" + post.body), id="no UTF-8"),
        pytest.param(signed(b"{}"), id="no event"),
        pytest.param(signed(b"no JSON"), id="no JSON"),
    ],
)
def test_what_isn_t_proven_is_refused(post: Post, change: Callable[[Post], Post]) -> None:
    """F08: unsigned, with the wrong key, stale, tampered or nonsense: one error, which repeats nothing of the request."""
    changed = change(post)
    with pytest.raises(WebhookUnverifiedError) as raised:
        verified(changed.headers, changed.body, SECRET)
    assert PAUSE_ID not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.code == "webhook.unverified"


def test_four_minutes_are_fine(post: Post) -> None:
    """F08: clocks differ a little."""
    late = signed(at=timedelta(minutes=-4))(post)
    assert verified(late.headers, late.body, SECRET)


def test_an_id_belongs_to_its_event(post: Post) -> None:
    """F08: one event under two ids would be done twice."""
    other = signed()(given("webhook-id", "msg_other")(post))
    with pytest.raises(WebhookUnverifiedError, match="another event"):
        verified(other.headers, other.body, SECRET)


def test_without_a_secret_nothing_is_accepted(post: Post) -> None:
    """F08: a missing secret never means that everybody may post."""
    none: list[Any] = [[], ()]
    for secrets in none:
        with pytest.raises(WebhookUnverifiedError, match="no webhook secret"):
            verified(post.headers, post.body, secrets)
    with pytest.raises(ConfigurationError):
        verified(post.headers, post.body, "")


def test_newer_senders_may_say_more(post: Post) -> None:
    """Unknown fields are skipped."""
    more = signed(json.dumps(json.loads(post.body) | {"priority": 1}).encode())(post)
    assert verified(more.headers, more.body, SECRET).tenant == "acme"
