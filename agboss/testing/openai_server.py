"""A local OpenAI-compatible endpoint for tests and demos: real HTTP, answered by any of our model providers.

with openai_server(models) as server:
    provider = OpenAIModels(base_url=server.base_url, api_key="test")
"""

import asyncio
import json
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from agboss.errors import AgbossError
from agboss.ports.models import ModelProvider


@dataclass(frozen=True, slots=True)
class Fault:
    """What one request is answered with instead of a completion; or ``hang_seconds`` before it."""

    status: int = 200
    body: str | None = None
    """``None``: an error object of OpenAI's shape."""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    hang_seconds: float = 0.0
    close: bool = False
    """Close the connection without an answer."""


@dataclass(slots=True)
class Received:
    """One request, as it came."""

    path: str
    headers: dict[str, str]
    """By lower-case name."""
    body: dict[str, Any]


class OpenAIServer:
    """A running endpoint. ``faults`` are used up one a request; ``answered`` counts completions given."""

    def __init__(self, models: ModelProvider) -> None:
        self.models = models
        self.faults: deque[Fault] = deque()
        self.requests: list[Received] = []
        self.answered = 0
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="agboss-openai-server", daemon=True)

    @property
    def base_url(self) -> str:
        """With its ``/v1``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> None:
        """Answer from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Answer no more; whoever hangs is let go."""
        self._ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def take(self, received: Received) -> Fault | None:
        """Note a request, and the fault it meets."""
        with self._lock:
            self.requests.append(received)
            return self.faults.popleft() if self.faults else None

    def hang(self, seconds: float) -> None:
        """Wait, but not beyond the server's end."""
        self._ended.wait(seconds)

    def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A chat completion for a request's body."""
        answer = asyncio.run(self.models.complete(_request(body)))
        with self._lock:
            self.answered += 1
            return _completion(str(body.get("model")), answer, self.answered)


@contextmanager
def openai_server(models: ModelProvider) -> Iterator[OpenAIServer]:
    """An endpoint on a free port of this machine, as long as the block lasts."""
    server = OpenAIServer(models)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _handler(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            fault = server.take(Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            if fault is not None:
                server.hang(fault.hang_seconds)
                if fault.close:
                    self.close_connection = True
                    return
                if fault.status != 200 or fault.body is not None:
                    self._send(fault.status, fault.body or _error("a fault that a test asked for"), fault)
                    return
            if self.path != "/v1/chat/completions":
                self._send(404, _error(f"there is no {self.path} here"))
                return
            try:
                completion = server.complete(body)
            except (AgbossError, ValueError) as error:
                self._send(400, _error(str(error)))
                return
            self._send(200, json.dumps(completion))

        def do_GET(self) -> None:
            known = [{"id": pattern, "object": "model"} for pattern in server.models.serves]
            self._send(200, json.dumps({"object": "list", "data": known}))

        def _send(self, status: int, text: str, fault: Fault | None = None) -> None:
            content = text.encode()
            self.send_response(status)
            for name, value in (fault.headers if fault else {}).items():
                self.send_header(name, value)
            self.send_header("content-type", fault.content_type if fault else "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Silent: ``requests`` has what came."""

    return Handler


def _error(message: str) -> str:
    return json.dumps({"error": {"message": message, "type": "test", "code": None}})


def _request(body: Mapping[str, Any]) -> ModelRequest:
    names: dict[str, str] = {}
    messages = tuple(_message(message, names) for message in body["messages"])
    tools = tuple(
        ToolSpec(
            name=tool["function"]["name"],
            description=tool["function"].get("description", ""),
            input_schema=tool["function"].get("parameters", {}),
        )
        for tool in body.get("tools") or ()
    )
    return ModelRequest(model=body["model"], messages=messages, tools=tools)


def _message(message: Mapping[str, Any], names: dict[str, str]) -> Message:
    """``names``: the tool of each call id, which the wire's tool messages leave out."""
    text = message.get("content") or ""
    match message["role"]:
        case "system" | "developer":
            return SystemMessage(text=text)
        case "user":
            return UserMessage(text=text)
        case "assistant":
            calls = tuple(_call(call) for call in message.get("tool_calls") or ())
            names.update({call.id: call.name for call in calls if call.id})
            return AssistantMessage(text=text, calls=calls)
        case "tool":
            call_id = message["tool_call_id"]
            return ToolMessage(call_id=call_id, tool=names.get(call_id, ""), text=text)
    raise ValueError(f"no message has role {message['role']!r}")


def _call(call: Mapping[str, Any]) -> ToolCall:
    text = call["function"]["arguments"]
    try:
        arguments = json.loads(text)
    except ValueError:
        arguments = text
    return ToolCall(
        id=call.get("id"), name=call["function"]["name"], arguments=arguments if isinstance(arguments, dict) else text
    )


def _completion(model: str, answer: ModelAnswer, number: int) -> dict[str, Any]:
    calls = [
        {
            **({"id": call.id} if call.id is not None else {}),
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments),
            },
        }
        for call in answer.calls
    ]
    usage: dict[str, Any] = {
        "prompt_tokens": answer.usage.input_tokens,
        "completion_tokens": answer.usage.output_tokens,
        "total_tokens": answer.usage.input_tokens + answer.usage.output_tokens,
    }
    if answer.usage.cost is not None:
        usage["cost"] = answer.usage.cost
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if calls:
        message["tool_calls"] = calls
    return {
        "id": f"completion-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": usage,
    }
