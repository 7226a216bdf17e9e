"""An OpenAI-compatible endpoint on this machine, for tests and demos: real HTTP, answered by any ``ModelProvider``.

    with openai_server(models) as server:
        provider = OpenAIModels(serves=["*"], base_url=server.base_url, api_key="any")

So a script works directly and over HTTP. ``server.faults`` says what goes wrong with the next requests (see
``agboss.testing.openai_faults``).
"""

import asyncio
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agboss.domain.conversation import (
    AssistantMessage,
    Message,
    ModelAnswer,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from agboss.errors import ModelError, ModelRejectedError, ModelUnavailableError
from agboss.ports.models import ModelProvider
from agboss.testing.openai_faults import Fault, Response

_COMPLETIONS = "/v1/chat/completions"
_MODELS = "/v1/models"


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request for a completion, as it arrived."""

    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]
    at: float
    """When it arrived, by the monotonic clock, in seconds."""


class OpenAIServer:
    """A running server; made by ``openai_server``."""

    def __init__(self, models: ModelProvider, *, api_key: str | None = None, port: int = 0) -> None:
        self.models = models
        self.faults: deque[Fault] = deque()
        """What goes wrong, one for each of the next requests; then all goes well."""
        self.requests: list[ReceivedRequest] = []
        """Requests for completions, in the order they came; those that a fault answered too."""
        self.answered = 0
        """Completions that went out as the model gave them or altered by a fault."""
        self._api_key = api_key
        self._stopping = threading.Event()
        self._http = _Listener(self, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), name="openai-server")

    @property
    def base_url(self) -> str:
        """What a client is given, with the ``/v1``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def connections(self) -> frozenset[socket.socket]:
        """Those that are open now."""
        return frozenset(self._http.open)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Close all connections; return when no thread is left."""
        self._stopping.set()
        self._http.shutdown()
        self._http.hang_up()
        self._http.server_close()
        self._thread.join()

    def respond(self, method: str, path: str, headers: Mapping[str, str], content: bytes) -> Response | None:
        """The response to one request; ``None``: close the connection."""
        if (method, path) == ("GET", _MODELS):
            listed = [{"id": name, "object": "model", "owned_by": "agboss"} for name in self.models.serves]
            return Response.json({"object": "list", "data": listed})
        if (method, path) != ("POST", _COMPLETIONS):
            return _error(404, f"there is no {method} {path} here")
        try:
            body = json.loads(content)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return _error(400, "the body is no JSON object")
        self.requests.append(ReceivedRequest(headers=headers, body=body, at=time.monotonic()))
        if self._api_key is not None and headers.get("authorization") != f"Bearer {self._api_key}":
            return _error(401, f"incorrect API key provided: {headers.get('authorization', '')}")
        exchange = _Exchange(self, body)
        fault = self._next_fault()
        return exchange.answer() if fault is None else fault(exchange)

    def _next_fault(self) -> Fault | None:
        try:
            return self.faults.popleft()
        except IndexError:
            return None

    def wait(self, seconds: float) -> None:
        self._stopping.wait(seconds)

    def complete(self, body: Mapping[str, Any]) -> Response:
        """The model's own answer."""
        try:
            request = to_request(body)
        except (LookupError, TypeError, ValueError) as error:
            return _error(400, f"the request is no chat completion: {type(error).__name__}: {error}")
        try:
            answer = asyncio.run(self.models.complete(request))
        except ModelRejectedError as error:
            return _error(400, error.message)
        except ModelUnavailableError as error:
            wish = {} if error.retry_after is None else {"retry-after": f"{error.retry_after:g}"}
            return _error(503, error.message, headers=wish)
        except ModelError as error:
            return _error(500, error.message)
        self.answered += 1
        return Response.json(to_completion(request.model, answer, number=self.answered))


@contextmanager
def openai_server(models: ModelProvider, *, api_key: str | None = None, port: int = 0) -> Iterator[OpenAIServer]:
    """A server on loopback, as long as the block lasts.

    Args:
        models: answers the requests.
        api_key: refuse other keys with 401; ``None``: take any.
        port: 0: a free one.
    """
    server = OpenAIServer(models, api_key=api_key, port=port)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def to_request(body: Mapping[str, Any]) -> ModelRequest:
    """A request in OpenAI's form as ours.

    Raises:
        LookupError, TypeError, ValueError: it is none, or wants a stream.
    """
    if body.get("stream"):
        raise ValueError("this server gives no streams")
    tools: dict[str, str] = {}
    messages: list[Message] = []
    for raw in body["messages"]:
        calls = tuple(_call(call) for call in raw.get("tool_calls") or ())
        tools.update({call.id: call.name for call in calls if call.id})
        messages.append(_message(raw, _text(raw.get("content")), calls, tools))
    specs = [tool["function"] for tool in body.get("tools") or ()]
    return ModelRequest(
        model=body["model"],
        messages=tuple(messages),
        tools=tuple(
            ToolSpec(name=spec["name"], description=spec.get("description", ""), input_schema=spec.get("parameters", {}))
            for spec in specs
        ),
    )


def _message(raw: Mapping[str, Any], text: str, calls: tuple[ToolCall, ...], tools: Mapping[str, str]) -> Message:
    match raw["role"]:
        case "system" | "developer":
            return SystemMessage(text=text)
        case "user":
            return UserMessage(text=text)
        case "assistant":
            return AssistantMessage(text=text, calls=calls)
        case "tool":
            return ToolMessage(call_id=raw["tool_call_id"], tool=tools[raw["tool_call_id"]], text=text)
        case role:
            raise ValueError(f"there is no role {role!r}")


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(block["text"] for block in content)


def _call(raw: Mapping[str, Any]) -> ToolCall:
    text = raw["function"]["arguments"]
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = text
    name = raw["function"]["name"]
    return ToolCall(id=raw.get("id"), name=name, arguments=arguments if isinstance(arguments, dict) else text)


def to_completion(model: str, answer: ModelAnswer, *, number: int) -> dict[str, Any]:
    """Our answer in OpenAI's form; a call without an id has none there either."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    calls = []
    for call in answer.calls:
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
        told: dict[str, Any] = {"type": "function", "function": {"name": call.name, "arguments": text}}
        calls.append(told if call.id is None else told | {"id": call.id})
    if calls:
        message["tool_calls"] = calls
    usage: dict[str, Any] = {
        "prompt_tokens": answer.usage.input_tokens,
        "completion_tokens": answer.usage.output_tokens,
        "total_tokens": answer.usage.input_tokens + answer.usage.output_tokens,
    }
    if answer.usage.cost is not None:
        usage["cost"] = answer.usage.cost
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": usage,
    }


def _error(status: int, message: str, *, headers: Mapping[str, str] | None = None) -> Response:
    return Response.json({"error": {"message": message, "type": "invalid_request_error"}}, status=status, headers=headers)


@dataclass(frozen=True, slots=True)
class _Exchange:
    server: OpenAIServer
    body: Mapping[str, Any]

    def answer(self) -> Response:
        return self.server.complete(self.body)

    def wait(self, seconds: float) -> None:
        self.server.wait(seconds)


class _Listener(ThreadingHTTPServer):
    """Threads that are joined at the end, which takes that no connection keeps one."""

    daemon_threads = False
    # A turn of many agents at once: the default backlog of 5 would make clients wait for a second.
    request_queue_size = 512

    def __init__(self, owner: OpenAIServer, port: int) -> None:
        self.owner = owner
        self.open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """End the connections that are open, idle ones too."""
        for connection in list(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are two writes; with Nagle's algorithm the second would wait for the client's delayed ACK.
    disable_nagle_algorithm = True
    server: _Listener

    def do_GET(self) -> None:
        self._respond(b"")

    def do_POST(self) -> None:
        self._respond(self.rfile.read(int(self.headers.get("content-length", 0))))

    def _respond(self, content: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        response = self.server.owner.respond(self.command, self.path, headers, content)
        if response is None:
            self.close_connection = True
            return
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: it is for tests."""
