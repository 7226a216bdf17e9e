"""Decision models over real HTTP, on a local endpoint that speaks System One."""

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agboss.devserver.config import DevServerConfig
from agboss.errors import (
    ConfigurationError,
    ModelAnswerError,
    ModelRejectedError,
    ModelUnavailableError,
    UninterpretableReplyError,
)
from agboss.ports.decision_models import YesNoQuestion

pytest.importorskip("typesafe_sdk", reason="the extra agboss-temporal[typesafe] is not installed")

QUESTION = YesNoQuestion(
    model="typesafe/jev-1.13", name="approved", instructions="Does it?", state="canary: yes", timeout_seconds=5
)


@dataclass
class Endpoint:
    """What was asked, and what is responded."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None

    def answer(self, probability: Any) -> None:
        self.body = {
            "model": "jev-1.13.0",
            "answers": {"approved": {"type": "noul", "noul": probability}},
            "usage": {"input_tokens": 12, "output_tokens": 3},
        }


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["content-length"]))
            made.asked.append({"path": self.path} | json.loads(content))
            made.keys.append(self.headers["authorization"])
            body = json.dumps(made.body).encode()
            self.send_response(made.status)
            for name, value in {
                "content-type": "application/json",
                "content-length": str(len(body)),
                **made.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield made
    server.shutdown()
    server.server_close()


def model_of(endpoint: Endpoint) -> Any:
    from agboss.models.typesafe import TypeSafeDecisions

    return TypeSafeDecisions(serves=["typesafe/*"], base_url=endpoint.url, api_key="secret-key")


async def test_one_question_one_probability(endpoint: Endpoint, caplog: pytest.LogCaptureFixture) -> None:
    """S077, S078: one noul of that name about the state; the probability and the tokens come back; nothing of it is logged."""
    caplog.set_level(logging.DEBUG)
    endpoint.answer(0.75)
    model = model_of(endpoint)
    answer = await model.decide(QUESTION)
    await model.aclose()
    assert (answer.probability, answer.usage.input_tokens, answer.usage.output_tokens) == (0.75, 12, 3)
    (asked,) = endpoint.asked
    assert (asked["path"], asked["model"], asked["state"]) == ("/v1/systemone", "jev-1.13", "canary: yes")
    assert asked["questions"] == {"approved": {"type": "noul", "instructions": "Does it?"}}
    assert endpoint.keys == ["Bearer secret-key"]
    assert "canary" not in caplog.text and "secret-key" not in caplog.text + repr(model)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        *((status, ModelRejectedError) for status in (400, 401, 404, 422)),
        *((s, ModelUnavailableError) for s in (429, 500, 503)),
    ],
)
async def test_what_statuses_mean(endpoint: Endpoint, status: int, error: type[Exception]) -> None:
    """S106: refused, or worth another try, in one request, and without the endpoint's words, which may be the reply's."""
    endpoint.status, endpoint.body, endpoint.headers = status, {"detail": "canary"}, {"retry-after": "7"}
    model = model_of(endpoint)
    with pytest.raises(error, match=str(status)) as raised:
        await model.decide(QUESTION)
    await model.aclose()
    assert len(endpoint.asked) == 1 and "canary" not in str(raised.value)
    if status == 429:
        assert raised.value.retry_after == 7.0  # type: ignore[attr-defined]


@pytest.mark.parametrize("body", [{}, [], {"answers": {}}, "yes", {"model": "m", "answers": {"other": {"type": "noul"}}}])
async def test_what_is_no_decision(endpoint: Endpoint, body: Any) -> None:
    """S106: an answer to another question, or none at all."""
    endpoint.body = body
    model = model_of(endpoint)
    with pytest.raises(ModelAnswerError):
        await model.decide(QUESTION)
    await model.aclose()


async def test_an_endpoint_that_is_away() -> None:
    """S106: worth another try."""
    from agboss.devserver.process import free_port

    model = model_of(Endpoint(url=f"http://127.0.0.1:{free_port()}"))
    with pytest.raises(ModelUnavailableError):
        await model.decide(QUESTION)
    await model.aclose()


async def test_no_key(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names the variable, and asks nobody."""
    from agboss.models.typesafe import TypeSafeDecisions

    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="TYPESAFE_API_KEY"):
        await TypeSafeDecisions(serves=["*"], base_url=endpoint.url).decide(QUESTION)
    assert endpoint.asked == []


async def test_a_deposit_is_returned(temporal: DevServerConfig, tmp_path: Path, endpoint: Endpoint) -> None:
    """S083, S118, S119: the whole way: approved above one half; no probability at all is no answer."""
    from tests.replies.office import DEPOSIT, running_desk

    async with running_desk(temporal, tmp_path, models=[model_of(endpoint)]) as desk:
        await desk.asked(DEPOSIT)
        endpoint.answer(1.5)
        with pytest.raises(UninterpretableReplyError):
            await desk.reply("go ahead")
        await desk.untouched()
        endpoint.answer(0.9)
        assert (await desk.reply("go ahead")).output.text == "returned the deposit of L-7"
