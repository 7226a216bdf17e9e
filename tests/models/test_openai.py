"""OpenAIModels against a local endpoint, over real HTTP."""

import asyncio
import json
import logging
import socket
import threading
import time
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
from agboss.ports.models import ModelProvider
from agboss.temporal.failures import to_record
from agboss.testing.openai_faults import (
    Fault,
    altered,
    body,
    empty_turn,
    hang,
    hang_up,
    http_status,
    no_call_ids,
    raw_arguments,
    same_call_ids,
)
from agboss.testing.openai_server import OpenAIServer, openai_server

KEY = "sk-a-very-secret-key"
HEADER = "a-very-secret-header"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """An endpoint whose model says "hello" until told otherwise."""
    models = ScriptedModels()
    models.when().answer("hello")
    with openai_server(models, api_key=KEY) as running:
        yield running


@pytest.fixture
async def models(server: OpenAIServer) -> AsyncIterator[OpenAIModels]:
    provider = OpenAIModels(serves=["*"], base_url=server.base_url, api_key=KEY, headers={"x-team": HEADER})
    yield provider
    await provider.aclose()


def request(*messages: Any, **more: Any) -> ModelRequest:
    return ModelRequest(model="some/model", messages=messages or (UserMessage(text="hi"),), **more)


def answers(server: OpenAIServer, answer: ModelAnswer) -> None:
    """Let the endpoint's model give this answer."""
    scripted = ScriptedModels()
    scripted.when().reply(lambda request: answer)
    server.models = scripted


def calls(*names: str) -> ModelAnswer:
    return ModelAnswer(
        text="",
        calls=tuple(ToolCall(id=f"call_{place}", name=name, arguments={"n": place}) for place, name in enumerate(names)),
    )


async def refused(models: OpenAIModels, server: OpenAIServer, *faults: Fault, **more: Any) -> ModelError:
    """The error of one call, with these faults."""
    server.faults.extend(faults)
    with pytest.raises(ModelError) as caught:
        await models.complete(request(**more))
    return caught.value


def test_it_is_a_model_provider() -> None:
    """It has what the port asks for, and serves what it was told."""
    provider = OpenAIModels(serves=["a/*", "b"])
    assert isinstance(provider, ModelProvider)
    assert provider.serves == ("a/*", "b")


async def test_a_conversation_arrives_as_it_was(models: OpenAIModels, server: OpenAIServer) -> None:
    """Every kind of message, the calls in their order with broken arguments as raw text, and the tools reach the endpoint's
    model unchanged."""
    sent = request(
        SystemMessage(text="Be good."),
        UserMessage(text="Größe? 你好"),
        AssistantMessage(
            text="I look.",
            calls=(
                ToolCall(id="a", name="look", arguments='{"broken": '),
                ToolCall(id="b", name="see", arguments={"was": ["ä", 1, None]}),
                ToolCall(id="c", name="look", arguments="[1]"),
            ),
        ),
        ToolMessage(call_id="a", tool="look", text="nothing"),
        ToolMessage(call_id="b", tool="see", text=""),
        ToolMessage(call_id="c", tool="look", text="three"),
        UserMessage(text="and now?"),
        tools=(
            ToolSpec(
                name="look",
                description="Looks",
                input_schema={"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
            ),
            ToolSpec(name="see", description="Sees", input_schema={"type": "object", "properties": {}}),
        ),
    )
    await models.complete(sent)
    assert isinstance(server.models, ScriptedModels)
    assert server.models.requests == [sent]


async def test_the_wire_is_openais(models: OpenAIModels, server: OpenAIServer) -> None:
    """Chat completions in OpenAI's form: roles, tool calls with text arguments, function tools; nothing is streamed."""
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "$defs": {}, "additionalProperties": False}
    await models.complete(
        request(
            UserMessage(text="hi"),
            AssistantMessage(text="", calls=(ToolCall(id="a", name="look", arguments={"n": 1}),)),
            ToolMessage(call_id="a", tool="look", text="seen"),
            tools=(ToolSpec(name="look", description="Looks", input_schema=schema),),
        )
    )
    sent = dict(server.requests[0].body)
    assert sent.pop("stream", False) is False
    assert sent == {
        "model": "some/model",
        "messages": [
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"type": "function", "id": "a", "function": {"name": "look", "arguments": '{"n": 1}'}}],
            },
            {"role": "tool", "tool_call_id": "a", "content": "seen"},
        ],
        "tools": [{"type": "function", "function": {"name": "look", "description": "Looks", "parameters": schema}}],
    }


async def test_the_key_and_headers_are_sent(models: OpenAIModels, server: OpenAIServer) -> None:
    """The key is the bearer token, and headers of one's own go with it."""
    await models.complete(request())
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].headers["x-team"] == HEADER


async def test_more_can_be_added_to_the_request(server: OpenAIServer) -> None:
    """``body=`` is added to each request."""
    provider = OpenAIModels(
        serves=["*"], base_url=server.base_url, api_key=KEY, body={"temperature": 0, "usage": {"include": True}}
    )
    await provider.complete(request())
    await provider.aclose()
    assert (server.requests[0].body["temperature"], server.requests[0].body["usage"]) == (0, {"include": True})


@pytest.mark.parametrize("name", ["gpt-6", "gpt-5-pro", "o3", "codex-mini-latest", "deep-research"])
async def test_every_model_is_asked_by_chat_completions(models: OpenAIModels, server: OpenAIServer, name: str) -> None:
    """No name of a model switches to an API that other endpoints don't have."""
    tool = ToolSpec(name="look", description="Looks", input_schema={"type": "object", "properties": {}})
    answer = await models.complete(ModelRequest(model=name, messages=(UserMessage(text="hi"),), tools=(tool,)))
    assert (answer.text, server.requests[0].body["model"]) == ("hello", name)


async def test_a_text_answer(models: OpenAIModels, server: OpenAIServer) -> None:
    """A text comes back, with the tokens the endpoint counted and no cost where it names none."""
    answers(server, ModelAnswer(text="hello", usage=Usage(input_tokens=7, output_tokens=3)))
    assert await models.complete(request()) == ModelAnswer(
        text="hello", usage=Usage(input_tokens=7, output_tokens=3, cost=None)
    )


async def test_content_blocks_are_joined(models: OpenAIModels, server: OpenAIServer) -> None:
    """An answer in content blocks is their texts."""

    def blocks(completion: dict[str, Any]) -> None:
        completion["choices"][0]["message"]["content"] = [{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]

    server.faults.append(altered(blocks))
    assert (await models.complete(request())).text == "hello"


async def test_a_refusal_is_the_text(models: OpenAIModels, server: OpenAIServer) -> None:
    """A model that refuses in OpenAI's own field has said that, not nothing."""
    server.faults.append(altered(lambda c: c["choices"][0]["message"].update(content=None, refusal="I can't.")))
    assert (await models.complete(request())).text == "I can't."


async def test_a_missing_role_is_an_assistants(models: OpenAIModels, server: OpenAIServer) -> None:
    """Endpoints that leave the role out are understood."""
    server.faults.append(altered(lambda c: c["choices"][0]["message"].pop("role")))
    assert (await models.complete(request())).text == "hello"


@pytest.mark.parametrize("cost", [0.25, 0, None])
async def test_cost_is_the_endpoints(models: OpenAIModels, server: OpenAIServer, cost: float | None) -> None:
    """The cost in the usage object is given as it is, and none is none."""
    answers(server, ModelAnswer(text="x", usage=Usage(input_tokens=1, output_tokens=1, cost=cost)))
    assert (await models.complete(request())).usage.cost == cost


async def test_no_usage_is_no_fault(models: OpenAIModels, server: OpenAIServer) -> None:
    """An endpoint that counts nothing gives an answer with nothing counted."""
    server.faults.append(altered(lambda completion: completion.pop("usage")))
    assert (await models.complete(request())).usage == Usage()


async def test_calls_come_in_the_models_order(models: OpenAIModels, server: OpenAIServer) -> None:
    """Valid and broken calls of one turn come in the order the model made them, beside the text."""
    given = ModelAnswer(
        text="I do three things.",
        calls=(
            ToolCall(id="a", name="one", arguments="{broken"),
            ToolCall(id="b", name="two", arguments={"n": 1}),
            ToolCall(id="c", name="three", arguments='"text"'),
            ToolCall(id="d", name="four", arguments={}),
        ),
    )
    answers(server, given)
    assert await models.complete(request()) == given


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('{"a": ', '{"a": '),
        ("[1, 2]", "[1, 2]"),
        ("null", "null"),
        ("no json", "no json"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        ("[" * 100_000, "[" * 100_000),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ("", {}),
        ("  ", {}),
        (None, {}),
        ({"a": 1}, {"a": 1}),
        ([1], "[1]"),
    ],
    ids=lambda value: repr(value)[:20],
)
async def test_arguments_are_an_object_or_raw_text(models: OpenAIModels, server: OpenAIServer, sent: Any, read: Any) -> None:
    """Arguments that are no JSON object stay the text they are; left out they are empty."""
    answers(server, calls("look", "see"))
    server.faults.append(raw_arguments(sent))
    answer = await models.complete(request())
    assert [call.arguments for call in answer.calls] == [read, {"n": 1}]


async def test_missing_call_ids_are_none(models: OpenAIModels, server: OpenAIServer) -> None:
    """A call without an id has none; it isn't invented here."""
    answers(server, calls("look", "see"))
    server.faults.append(no_call_ids())
    assert [(call.id, call.name) for call in (await models.complete(request())).calls] == [(None, "look"), (None, "see")]


async def test_repeated_call_ids_stay(models: OpenAIModels, server: OpenAIServer) -> None:
    """Calls that share an id are all there."""
    answers(server, calls("look", "look", "see"))
    server.faults.append(same_call_ids("x"))
    assert [(call.id, call.arguments) for call in (await models.complete(request())).calls] == [
        ("x", {"n": 0}),
        ("x", {"n": 1}),
        ("x", {"n": 2}),
    ]


async def test_an_empty_turn_is_an_answer(models: OpenAIModels, server: OpenAIServer) -> None:
    """A turn with neither text nor calls is given as one."""
    server.faults.append(empty_turn())
    assert await models.complete(request()) == ModelAnswer(text="", usage=Usage(input_tokens=1, output_tokens=1))


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_what_time_may_mend_is_unavailable(models: OpenAIModels, server: OpenAIServer, status: int) -> None:
    """A busy or broken endpoint is worth another try, which isn't made here: one HTTP request a call."""
    error = await refused(models, server, http_status(status, "so busy"))
    assert isinstance(error, ModelUnavailableError)
    assert error.retry_after is None
    assert f"HTTP {status}" in error.message
    assert "so busy" in error.message
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (400, "does not accept the request"),
        (401, "OPENAI_API_KEY"),
        (402, "can't pay"),
        (403, "may not use this model"),
        (404, "does not have this model"),
        (413, "too large"),
        (418, "won't help"),
        (422, "does not accept the request"),
    ],
)
async def test_what_time_wont_mend_is_rejected(models: OpenAIModels, server: OpenAIServer, status: int, remedy: str) -> None:
    """A refusal says what to do, with the model, the endpoint and its words."""
    error = await refused(models, server, http_status(status, "never"))
    assert isinstance(error, ModelRejectedError)
    for part in (remedy, "never", "'some/model'", "127.0.0.1", f"HTTP {status}"):
        assert part in error.message
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "wish"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "86400"}, 600.0),
        ({"retry-after": "0"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 21 Oct 2915 07:28:00 GMT"}, 600.0),
    ],
)
async def test_the_endpoints_wish_is_heard(
    models: OpenAIModels, server: OpenAIServer, headers: dict[str, str], wish: float | None
) -> None:
    """``retry-after-ms`` and ``Retry-After`` are seconds of patience, bounded; what makes no sense is no wish."""
    error = await refused(models, server, http_status(429, headers=headers))
    assert isinstance(error, ModelUnavailableError)
    assert error.retry_after == wish


async def test_a_wish_may_be_a_date(models: OpenAIModels, server: OpenAIServer) -> None:
    """A ``Retry-After`` date is the seconds until then."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    error = await refused(models, server, http_status(503, headers={"retry-after": date}))
    assert isinstance(error, ModelUnavailableError)
    assert error.retry_after is not None
    assert 90 < error.retry_after <= 100


async def test_a_slow_endpoint_is_unavailable_in_time(models: OpenAIModels, server: OpenAIServer) -> None:
    """The request's timeout ends it, about then."""
    await models.complete(request())
    before = time.monotonic()
    error = await refused(models, server, hang(20), timeout_seconds=0.3)
    assert isinstance(error, ModelUnavailableError)
    assert "within 0.3 seconds" in error.message
    assert 0.25 < time.monotonic() - before < 3


async def test_an_endpoint_that_drips_is_unavailable_in_time() -> None:
    """Bytes that keep coming don't extend the timeout."""
    done = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{")
            while not done.wait(0.05):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    thread = threading.Thread(target=drip)
    thread.start()
    provider = OpenAIModels(serves=["*"], base_url=f"http://127.0.0.1:{listener.getsockname()[1]}/v1", api_key=KEY)
    try:
        before = time.monotonic()
        with pytest.raises(ModelUnavailableError):
            await provider.complete(request(timeout_seconds=0.5))
        assert time.monotonic() - before < 5
    finally:
        done.set()
        await asyncio.to_thread(thread.join)
        listener.close()
        await provider.aclose()


async def test_an_endpoint_that_is_down_is_unavailable() -> None:
    """A refused connection is worth another try."""
    with openai_server(ScriptedModels()) as gone:
        url = gone.base_url
    provider = OpenAIModels(serves=["*"], base_url=url, api_key=KEY)
    with pytest.raises(ModelUnavailableError, match="can't be reached"):
        await provider.complete(request())
    await provider.aclose()


async def test_a_closed_connection_is_unavailable(models: OpenAIModels, server: OpenAIServer) -> None:
    """A connection that closes without an answer is worth another try."""
    assert isinstance(await refused(models, server, hang_up()), ModelUnavailableError)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("content", "content_type"),
    [
        ("<html><body>Welcome</body></html>", "text/html"),
        ("<html><body>Welcome</body></html>", "application/json"),
        ('{"choices": [', "application/json"),
        ("", "application/json"),
        ("[]", "application/json"),
        ("null", "application/json"),
        ("17", "application/json"),
        ('"text"', "application/json"),
        (b"\xff\xfe\x00", "application/json"),
        ("{}", "application/json"),
        ('{"choices": null}', "application/json"),
        ('{"choices": []}', "application/json"),
        ('{"choices": {}}', "application/json"),
        ('{"choices": [null]}', "application/json"),
        ('{"choices": [{}]}', "application/json"),
        ('{"choices": [{"message": null}]}', "application/json"),
        ('{"choices": [{"message": "text"}]}', "application/json"),
        ('{"choices": [{"message": {"role": "assistant", "content": 5}}]}', "application/json"),
        ('{"choices": [{"message": {"role": "assistant", "tool_calls": [{}]}}]}', "application/json"),
        ('{"choices": [{"message": {"role": "assistant", "tool_calls": [null]}}]}', "application/json"),
        ('{"choices": [{"message": {"role": "assistant", "tool_calls": 5}}]}', "application/json"),
        (
            '{"choices": [{"message": {"role": "assistant", "tool_calls": [{"function": {"name": null}}]}}]}',
            "application/json",
        ),
        ('{"choices": [{"message": {"role": "assistant", "content": "x"}}], "usage": "much"}', "application/json"),
        ('{"error": {"message": "upstream is odd"}}', "application/json"),
    ],
)
async def test_garbage_is_no_answer(
    models: OpenAIModels, server: OpenAIServer, content: str | bytes, content_type: str
) -> None:
    """What is no chat completion is told as that, in one bounded line."""
    error = await refused(models, server, body(content, content_type=content_type))
    assert isinstance(error, ModelAnswerError)
    assert len(error.message) < 500
    assert "\n" not in error.message


async def test_half_a_character_can_be_stored(models: OpenAIModels, server: OpenAIServer) -> None:
    """JSON can hold half of a surrogate pair; what comes out is text that any store takes."""
    answers(server, calls("look\ud800"))
    server.faults.append(altered(lambda c: c["choices"][0]["message"].update(content="x\ud800y")))
    answer = await models.complete(request())
    assert (answer.text, answer.calls[0].name) == ("x?y", "look?")


async def test_an_upstreams_error_told_as_success(models: OpenAIModels, server: OpenAIServer) -> None:
    """Gateways answer 200 with the upstream's status in the error: it counts as that status."""
    busy = await refused(models, server, body(json.dumps({"error": {"message": "upstream is busy", "code": 429}})))
    denied = await refused(models, server, body(json.dumps({"error": {"message": "upstream says no", "code": 403}})))
    assert isinstance(busy, ModelUnavailableError)
    assert isinstance(denied, ModelRejectedError)
    assert "upstream is busy" in busy.message


async def test_the_endpoints_words_are_one_bounded_line(models: OpenAIModels, server: OpenAIServer) -> None:
    """A long or many-lined message of an endpoint can't flood or forge ours."""
    error = await refused(models, server, http_status(400, "first\nsecond\x1b[31m " + "x" * 5_000))
    assert "first second [31m xxx" in error.message
    assert len(error.message) < 500
    html = await refused(models, server, body("<html>\n" + "<p>" * 5_000, status=502, content_type="text/html"))
    assert isinstance(html, ModelUnavailableError)
    assert len(html.message) < 500


async def test_secrets_stay_secret(models: OpenAIModels, server: OpenAIServer, caplog: pytest.LogCaptureFixture) -> None:
    """Neither key nor headers are in an error, its causes, a repr or a log at any level, though the endpoint repeats
    them."""
    caplog.set_level(logging.DEBUG)
    told = f"bad key {KEY} and {HEADER}"
    faults = [http_status(401, told), http_status(503, told), body(told), body(json.dumps({"error": {"message": told}}))]
    for fault in faults:
        error = await refused(models, server, fault)
        record = to_record(error)
        for text in (str(error), repr(error), repr(error.data), record.model_dump_json()):
            assert KEY not in text
            assert HEADER not in text
        assert (error.__cause__, error.__context__) == (None, None)
    await models.complete(request())
    assert KEY not in repr(models)
    assert HEADER not in repr(models)
    assert KEY not in caplog.text
    assert HEADER not in caplog.text


async def test_no_key_is_told_at_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key the provider can be made, and its first use names the variable."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for key in (None, "", "  "):
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
            await OpenAIModels(serves=["*"], base_url="http://127.0.0.1:9/v1", api_key=key).complete(request())


@pytest.mark.parametrize("key", ["schlüssel", "two\nlines"])
async def test_a_key_that_no_header_can_have(key: str) -> None:
    """A key with characters that can't be sent is the configuration's fault, and isn't shown."""
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as caught:
        await OpenAIModels(serves=["*"], base_url="http://127.0.0.1:9/v1", api_key=key).complete(request())
    assert key not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://host/v1", "http://", "http://host:port/v1", "https://[bad/v1"])
async def test_a_base_url_that_is_none(url: str) -> None:
    """A wrong base URL is the configuration's fault, not an endpoint that is down."""
    with pytest.raises(ConfigurationError, match="OPENAI_BASE_URL"):
        await OpenAIModels(serves=["*"], base_url=url, api_key=KEY).complete(request())


async def test_the_environment_is_read_at_first_use(server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Endpoint and key come from OPENAI_BASE_URL and OPENAI_API_KEY, as they are then."""
    provider = OpenAIModels(serves=["*"])
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert (await provider.complete(request())).text == "hello"
    await provider.aclose()


async def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra, making the provider says which one to install."""
    monkeypatch.setattr("agboss.models.openai.find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"agboss-temporal\[openai\]"):
        OpenAIModels(serves=["*"])


async def test_connections_are_kept_and_closed(models: OpenAIModels, server: OpenAIServer) -> None:
    """Calls of one model share a connection, ``aclose`` ends it, and the provider can be used again."""
    for _ in range(3):
        await models.complete(request())
    assert len(server.connections) == 1
    await models.aclose()
    async with asyncio.timeout(5):
        while server.connections:
            await asyncio.sleep(0.01)
    assert (await models.complete(request())).text == "hello"


def test_it_works_on_one_loop_after_another(server: OpenAIServer) -> None:
    """Connections belong to their loop: a loop that was replaced doesn't break the next one's calls."""
    provider = OpenAIModels(serves=["*"], base_url=server.base_url, api_key=KEY)
    for _ in range(3):
        assert asyncio.run(provider.complete(request())).text == "hello"
    asyncio.run(provider.aclose())


async def test_it_is_closed_from_another_loop(server: OpenAIServer) -> None:
    """A worker closes its providers on its own loop, while they were used on user code's: connections end there."""
    provider = OpenAIModels(serves=["*"], base_url=server.base_url, api_key=KEY)
    other = asyncio.new_event_loop()
    thread = threading.Thread(target=other.run_forever)
    thread.start()
    try:
        used = asyncio.run_coroutine_threadsafe(provider.complete(request()), other)
        assert (await asyncio.wrap_future(used)).text == "hello"
        assert len(server.connections) == 1
        await provider.aclose()
        async with asyncio.timeout(5):
            while server.connections:
                await asyncio.sleep(0.01)
    finally:
        other.call_soon_threadsafe(other.stop)
        await asyncio.to_thread(thread.join)
        other.close()


async def test_many_calls_at_once(models: OpenAIModels, server: OpenAIServer) -> None:
    """A hundred calls at once are all answered, each with its own."""
    scripted = ScriptedModels()
    scripted.when().reply(lambda request: ModelAnswer(text=request.messages[-1].text))
    server.models = scripted
    given = await asyncio.gather(*(models.complete(request(UserMessage(text=str(n)))) for n in range(100)))
    assert [answer.text for answer in given] == [str(n) for n in range(100)]


async def test_a_cancel_ends_the_request(models: OpenAIModels, server: OpenAIServer) -> None:
    """A call that is cancelled raises the cancel, and its connection closes."""
    server.faults.append(hang(20))
    task = asyncio.create_task(models.complete(request()))
    async with asyncio.timeout(10):
        while not server.requests:
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
