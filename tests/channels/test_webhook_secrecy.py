"""What of a webhook nobody else sees: the pause's id, the secrets, and anything that has no TLS."""

import asyncio
import logging
from typing import Any

import pytest

from agboss import ChannelOutcome, Webhook
from agboss.errors import AgbossError, ConfigurationError
from tests.channels.asking import PAUSE_ID, ask, webhook
from tests.channels.hooks import SECRET, Hooks, Reply


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts begin short."""
    monkeypatch.setattr("agboss.channels.webhook_post.FIRST_WAIT", 0.02)


async def test_the_pause_s_id_and_the_secret_are_nowhere_else(hooks: Hooks, caplog: pytest.LogCaptureFixture) -> None:
    """F05: not in a URL, a header, an error with its causes, a repr or a log, at DEBUG and of any library."""
    caplog.set_level(logging.DEBUG)
    hook = webhook(hooks)
    errors: list[BaseException] = []
    for replies in ([Reply(503), Reply(hangs=True), Reply(400, body=PAUSE_ID.encode())], [Reply(200, endless=True)]):
        hooks.replies = list(replies)
        hook._timeout = 0.3
        with pytest.raises(AgbossError) as raised:
            await ask(hook)
        errors.append(raised.value)
    assert len(hooks.posts) == 4
    assert "webhook.retry" in caplog.text
    shown = [caplog.text, repr(hook), str(hook)]
    shown += [str(vars(record)) for record in caplog.records]
    shown += [str((post.path, post.headers)) for post in hooks.posts]
    for error in errors:
        assert error.__cause__ is None
        assert error.__context__ is None
        shown += [repr(error), str(vars(error))]
    key = SECRET.removeprefix("whsec_")
    assert not [text for text in shown if PAUSE_ID in text or key in text]


@pytest.mark.parametrize(
    "url",
    [
        "http://approvals.example/hooks",
        "http://10.0.0.7/hooks",
        "http://localhost.example/hooks",
        "ftp://127.0.0.1/hooks",
        "approvals.example",
        "https://",
        "https://[",
        "https://user:hunter2@approvals.example/",
        "",
    ],
)
def test_only_https_leaves_the_machine(url: str) -> None:
    """F05: the pause's id goes over TLS, or nowhere; the URL isn't repeated, as it may have a secret."""
    with pytest.raises(ConfigurationError, match=r"Webhook\(url=\)") as raised:
        Webhook(url=url, secrets=SECRET)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://approvals.example/hooks", "http://localhost:8090/", "http://[::1]:8090/"])
def test_these_urls_are_fine(url: str) -> None:
    """TLS, or this machine."""
    assert "approvals.example/hooks" not in repr(Webhook(url=url, secrets=SECRET))


@pytest.mark.parametrize(
    "secrets", ["", [], [SECRET, ""], "C2FVsBQIhrscChlQIMV", "whsec_c2hvcnQ=", SECRET + "!?", "whsec_ü"]
)
def test_a_secret_is_a_secret(secrets: Any) -> None:
    """F08: nothing is posted unsigned or with a weak key, and the secret isn't repeated."""
    with pytest.raises(ConfigurationError, match="secret") as raised:
        Webhook(url="https://approvals.example", secrets=secrets)
    assert "C2FVsBQ" not in str(raised.value)
    assert raised.value.__cause__ is None


async def test_no_proxy_sees_what_has_no_tls(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    """F05: plain HTTP to this machine goes through no proxy of the environment."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert await asyncio.wait_for(ask(webhook(hooks)), 5) == ChannelOutcome.await_reply()
