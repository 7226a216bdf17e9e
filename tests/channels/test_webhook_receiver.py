"""The documented receiver, run as it stands."""

import http.client
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agboss import PauseResolution, Webhook
from agboss.channels.webhook import WebhookEvent
from agboss.errors import WebhookRejectedError
from docs.examples import webhook_receiver
from docs.examples.webhook_receiver import Questions, answer
from tests.channels.asking import PAUSE_ID, ask, take_back, tell_answer, webhook
from tests.channels.hooks import OTHER_SECRET, SECRET, Hooks, Post, Reply


@pytest.fixture
def questions(tmp_path: Path) -> Questions:
    return Questions(tmp_path / "questions.db")


@pytest.fixture
def port(questions: Questions) -> Iterator[int]:
    server = webhook_receiver.server(questions, [SECRET], port=0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def hook(port: int) -> Webhook:
    return Webhook(url=f"http://127.0.0.1:{port}/hooks", secrets=SECRET)


def sent(port: int, method: str, body: bytes = b"", headers: dict[str, str] | None = None, path: str = "/hooks") -> int:
    """Send a request as it is; its status."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body, headers or {})
        return connection.getresponse().status
    finally:
        connection.close()


def again(port: int, post: Post, **changed: str) -> int:
    kept = {name: value for name, value in post.headers.items() if name.startswith(("webhook-", "content-type"))}
    return sent(port, "POST", post.body, kept | changed)


async def test_it_keeps_what_is_asked_once(hook: Webhook, questions: Questions) -> None:
    """F08: a retry, or the same event after a lost worker, is taken and changes nothing; an answered one stays so."""
    await ask(hook)
    await ask(hook)
    ((number, event),) = questions.waiting().items()
    assert (event.pause_id, event.ask.summary) == (PAUSE_ID, "pay-tool: 90")
    questions.close(number, "answered")
    await ask(hook)
    assert questions.waiting() == {}


async def test_it_does_a_replayed_request_once(hooks: Hooks, port: int, questions: Questions) -> None:
    """F08: a good request is accepted once; its replay opens nothing, and unsigned or tampered ones are 401."""
    await ask(webhook(hooks))
    (post,) = hooks.posts
    assert again(port, post) == 204
    questions.close(1, "answered")
    assert again(port, post) == 204
    assert questions.waiting() == {}
    assert again(port, post, **{"webhook-signature": "v1,AAAA"}) == 401
    assert sent(port, "POST", post.body) == 401
    assert sent(port, "POST", headers={"content-length": "2000000"}) == 413


async def test_a_wrong_secret_is_refused(port: int, questions: Questions) -> None:
    """F08: the sender learns at once that the secrets differ."""
    with pytest.raises(WebhookRejectedError, match="the same secret"):
        await ask(Webhook(url=f"http://127.0.0.1:{port}/hooks", secrets=OTHER_SECRET))
    assert questions.waiting() == {}


async def test_looking_changes_nothing(hook: Webhook, port: int, questions: Questions) -> None:
    """F01: mail scanners and previews look at links with GET and HEAD: nothing is answered, closed or shown by them."""
    await ask(hook)
    before = questions.waiting()
    for path in ("/", "/hooks", "/answer?number=1&approved=true"):
        for _ in range(10):
            assert {sent(port, method, path=path) for method in ("GET", "HEAD")} == {501}
    assert questions.waiting() == before != {}


async def test_a_question_taken_back_is_closed(hook: Webhook, questions: Questions) -> None:
    """S217: whichever of the two comes first."""
    await take_back(hook, PauseResolution.CANCELLED)
    await ask(hook)
    assert questions.waiting() == {}


async def test_a_question_answered_elsewhere_is_closed(hook: Webhook, questions: Questions) -> None:
    """F02: what somebody answered by another way isn't listed any more."""
    await ask(hook)
    assert len(questions.waiting()) == 1
    await tell_answer(hook, {"approved": False})
    assert questions.waiting() == {}


async def test_only_its_owner_reads_the_questions(hook: Webhook, tmp_path: Path) -> None:
    """F05: the ids are in the file."""
    await ask(hook)
    assert (tmp_path / "questions.db").stat().st_mode & 0o077 == 0


def event(tenant: str = "acme") -> WebhookEvent:
    asked: Any = {"call_id": "c1", "tool": "pay-tool", "arguments": None, "summary": "pay"}
    return WebhookEvent(type="pause.asked", pause_id=PAUSE_ID, channel="c", tenant=tenant, execution_id="e", ask=asked)


@pytest.fixture
def bearer(tmp_path: Path) -> Path:
    file = tmp_path / "bearer.txt"
    file.write_text("agboss_secret\n")
    return file


def answered(hooks: Hooks, bearer: Path, event: WebhookEvent) -> bool:
    web = hooks.url.removesuffix("/hooks")
    return answer(event, {"approved": True}, answered_by="desk:m", web=web, bearer=bearer)


def test_it_answers_through_the_web(hooks: Hooks, bearer: Path, caplog: pytest.LogCaptureFixture) -> None:
    """F04, F05: only the pause's id matters, and it is in the body alone; so is the secret in its header."""
    caplog.set_level(logging.INFO)
    hooks.always = Reply(202)
    assert answered(hooks, bearer, event("a b/c"))
    (post,) = hooks.posts
    assert (post.method, post.path, post.headers["authorization"]) == (
        "POST",
        "/tenants/a%20b%2Fc/answers",
        "Bearer agboss_secret",
    )
    assert json.loads(post.body) == {"pause_id": PAUSE_ID, "decision": {"approved": True}, "answered_by": "desk:m"}
    assert PAUSE_ID not in caplog.text + post.path + str(post.headers)
    assert "agboss_secret" not in caplog.text


@pytest.mark.parametrize("status", [307, 401, 403, 503])
def test_a_failed_answer_is_told(hooks: Hooks, bearer: Path, status: int) -> None:
    """F03: whoever answers sees that it failed, and can do it again."""
    hooks.replies = [Reply(status, {"location": "/elsewhere"}), Reply(202)]
    with pytest.raises(RuntimeError, match=f"HTTP {status}"):
        answered(hooks, bearer, event())
    assert answered(hooks, bearer, event())
    assert [post.path for post in hooks.posts] == ["/tenants/acme/answers"] * 2


def test_an_answer_that_comes_late_is_told(hooks: Hooks, bearer: Path) -> None:
    """F02: somebody else answered."""
    hooks.always = Reply(409)
    assert not answered(hooks, bearer, event())
