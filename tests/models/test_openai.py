"""OpenAI-compatible endpoints, over real HTTP."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from agboss import OpenAIModels, ScriptedModels
from agboss.domain.conversation import (
    AssistantMessage,
    ModelAnswer,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from agboss.errors import ConfigurationError, ModelAnswerError, ModelError, ModelRejectedError, ModelUnavailableError
from agboss.testing.openai_server import Fault, OpenAIServer, openai_server

KEY = "sk-very-secret-4711"
SCHEMA = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server(ScriptedModels()) as running:
        yield running


@pytest.fixture
async def models(server: OpenAIServer) -> AsyncIterator[OpenAIModels]:
    provider = OpenAIModels(base_url=server.base_url, api_key=KEY, headers={"x-team": "office"})
    yield provider
    await provider.aclose()


def request(*messages: Any, timeout: float = 10.0, tools: tuple[ToolSpec, ...] = ()) -> ModelRequest:
    given = messages or (UserMessage(text="hello"),)
    return ModelRequest(model="some/model", messages=given, tools=tools, timeout_seconds=timeout)


def script(server: OpenAIServer) -> ScriptedModels:
    assert isinstance(server.models, ScriptedModels)
    return server.models


async def test_what_is_sent_arrives(server: OpenAIServer, models: OpenAIModels) -> None:
    """The whole conversation, tools, key and headers reach the endpoint; calls keep their order, also a broken one's."""
    script(server).when().answer("fine")
    calls = (
        ToolCall(id="a", name="pay-tool", arguments="{broken"),
        ToolCall(id="b", name="pay-tool", arguments={"amount": 1, "to": "Zoë"}),
    )
    conversation = (
        SystemMessage(text="Be good."),
        UserMessage(text="Pay."),
        AssistantMessage(text="", calls=calls),
        ToolMessage(call_id="a", tool="pay-tool", text="Tool error: no JSON"),
        ToolMessage(call_id="b", tool="pay-tool", text="paid"),
    )
    tool = ToolSpec(name="pay-tool", description="Pays", input_schema=SCHEMA)
    answer = await models.complete(request(*conversation, tools=(tool,)))
    assert answer.text == "fine"
    (sent,) = script(server).requests
    assert sent.messages == conversation
    assert sent.tools == (tool,)
    (received,) = server.requests
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.headers["x-team"] == "office"
    assert received.body["model"] == "some/model"


async def test_what_is_answered_arrives(server: OpenAIServer, models: OpenAIModels) -> None:
    """Text, calls in their order with missing, repeated and odd ids and arguments, usage and the provider's own cost."""
    calls = (
        ToolCall(id="same", name="pay-tool", arguments={"amount": 1}),
        ToolCall(id="x", name="pay-tool", arguments="{not json"),
        ToolCall(id="same", name="pay-tool", arguments={"amount": 2}),
        ToolCall(id=None, name="pay-tool", arguments="[1, 2]"),
    )
    given = ModelAnswer(text="I pay.", calls=calls, usage=Usage(input_tokens=12, output_tokens=3, cost=0.25))
    script(server).when().reply(lambda _: given)
    assert await models.complete(request()) == given


async def test_an_empty_turn_is_an_answer(server: OpenAIServer, models: OpenAIModels) -> None:
    """No text and no call: the agent's loop decides what that means."""
    script(server).when().answer("")
    answer = await models.complete(request())
    assert (answer.text, answer.calls) == ("", ())


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_time_may_mend_is_worth_another_try(server: OpenAIServer, models: OpenAIModels, status: int) -> None:
    """One request, no retry of the library's own, and ModelUnavailableError."""
    server.faults.append(Fault(status=status))
    with pytest.raises(ModelUnavailableError, match=str(status)):
        await models.complete(request())
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_what_time_does_not_mend_is_not(server: OpenAIServer, models: OpenAIModels, status: int) -> None:
    """ModelRejectedError, with the endpoint's own reason."""
    server.faults.append(Fault(status=status))
    with pytest.raises(ModelRejectedError, match=f"{status}: a fault that a test asked for"):
        await models.complete(request())
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "999999"}, 3600.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({}, None),
    ],
)
async def test_the_endpoint_s_wish_is_told(
    server: OpenAIServer, models: OpenAIModels, headers: dict[str, str], seconds: float | None
) -> None:
    """Retry-After as seconds or milliseconds, within bounds; what makes no sense is no wish."""
    server.faults.append(Fault(status=429, headers=headers))
    with pytest.raises(ModelUnavailableError) as caught:
        await models.complete(request())
    assert caught.value.retry_after == seconds


async def test_a_wish_may_be_a_date(server: OpenAIServer, models: OpenAIModels) -> None:
    """Retry-After as HTTP writes dates."""
    when = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    server.faults.append(Fault(status=503, headers={"Retry-After": when}))
    with pytest.raises(ModelUnavailableError) as caught:
        await models.complete(request())
    assert caught.value.retry_after is not None and 50 < caught.value.retry_after <= 60


async def test_an_endpoint_that_is_down_or_slow(server: OpenAIServer, models: OpenAIModels) -> None:
    """Connection refused, closed without an answer, and slower than the turn's timeout: worth another try."""
    down = OpenAIModels(base_url="http://127.0.0.1:9/v1", api_key=KEY)
    with pytest.raises(ModelUnavailableError, match="can't be reached"):
        await down.complete(request())
    server.faults.append(Fault(close=True))
    with pytest.raises(ModelUnavailableError, match="can't be reached"):
        await models.complete(request())
    server.faults.append(Fault(hang_seconds=20))
    with pytest.raises(ModelUnavailableError, match="did not answer in time"):
        await models.complete(request(timeout=0.3))


@pytest.mark.parametrize(
    "fault",
    [
        Fault(body="<html>a proxy</html>", content_type="text/html"),
        Fault(body="{half"),
        Fault(body="{}"),
        Fault(body='{"choices": []}'),
        Fault(body='{"choices": null}'),
        Fault(body='{"choices": [{"message": null}]}'),
        Fault(body='{"choices": [{"index": 0}]}'),
        Fault(body='{"error": {"message": "no"}}'),
        Fault(body="[1, 2]"),
    ],
)
async def test_garbage_is_told_as_garbage(server: OpenAIServer, models: OpenAIModels, fault: Fault) -> None:
    """ModelAnswerError, whatever came with status 200."""
    server.faults.append(fault)
    with pytest.raises(ModelAnswerError, match="no chat completion"):
        await models.complete(request())


async def test_the_key_is_told_to_nobody(
    server: OpenAIServer, models: OpenAIModels, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in repr, errors, their causes or debug logs, also where the endpoint repeats it; endpoint texts stay one line."""
    caplog.set_level(logging.DEBUG)
    said = json.dumps({"error": {"message": f"wrong key {KEY}\nand " + "more " * 200}})
    server.faults.append(Fault(status=401, body=said))
    with pytest.raises(ModelError) as caught:
        await models.complete(request())
    texts = [repr(models), repr(caught.value), str(caught.value), repr(caught.value.__cause__), caplog.text]
    assert not any(KEY in text for text in texts)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


async def test_without_a_key_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """ConfigurationError at the first call, and nothing is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        await OpenAIModels(base_url="http://127.0.0.1:9/v1").complete(request())


async def test_the_environment_names_the_endpoint(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_BASE_URL and OPENAI_API_KEY are enough."""
    script(server).when().answer("fine")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    provider = OpenAIModels()
    assert (await provider.complete(request())).text == "fine"
    await provider.aclose()


def test_each_loop_has_its_own_connections(server: OpenAIServer) -> None:
    """A provider outlives the loop of user code, which is replaced when somebody's code blocks it."""
    script(server).when().answer("fine")
    provider = OpenAIModels(base_url=server.base_url, api_key=KEY)
    for _ in range(3):
        assert asyncio.run(provider.complete(request())).text == "fine"
