"""What can go wrong at a model's endpoint, for ``agboss.testing.openai_server``: each fault is for one request."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response as it goes over the wire."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, content: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> "Response":
        """``content`` as JSON, whatever it is."""
        body = json.dumps(content).encode()
        return cls(status=status, body=body, headers={"content-type": "application/json"} | dict(headers or {}))


class Exchange(Protocol):
    """One request that is being answered."""

    def answer(self) -> Response:
        """What the model answers, as it would go out."""
        ...

    def wait(self, seconds: float) -> None:
        """Let time go by; over at once when the server stops."""
        ...


Fault = Callable[[Exchange], Response | None]
"""Answers a request in place of the server; ``None`` closes the connection without a word."""


def http_status(status: int, message: str = "no", *, headers: Mapping[str, str] | None = None) -> Fault:
    """An error in OpenAI's form, with these headers."""
    return lambda exchange: Response.json({"error": {"message": message}}, status=status, headers=headers)


def body(text: str | bytes, *, status: int = 200, content_type: str = "application/json") -> Fault:
    """This body, whatever it is."""
    content = text.encode() if isinstance(text, str) else text
    return lambda exchange: Response(status=status, body=content, headers={"content-type": content_type})


def hang(seconds: float) -> Fault:
    """The right answer, ``seconds`` late."""

    def late(exchange: Exchange) -> Response:
        exchange.wait(seconds)
        return exchange.answer()

    return late


def hang_up() -> Fault:
    """The connection closes without an answer."""
    return lambda exchange: None


def altered(change: Callable[[dict[str, Any]], None]) -> Fault:
    """The right answer after ``change`` had the whole completion."""

    def respond(exchange: Exchange) -> Response:
        completion = copy.deepcopy(json.loads(exchange.answer().body))
        change(completion)
        return Response.json(completion)

    return respond


def _altered_message(change: Callable[[dict[str, Any]], None]) -> Fault:
    return altered(lambda completion: change(completion["choices"][0]["message"]))


def empty_turn() -> Fault:
    """A message with neither text nor calls."""

    def emptied(message: dict[str, Any]) -> None:
        message["content"] = None
        message.pop("tool_calls", None)

    return _altered_message(emptied)


def no_call_ids() -> Fault:
    """The answer's calls without ids."""

    def without(message: dict[str, Any]) -> None:
        for call in message["tool_calls"]:
            del call["id"]

    return _altered_message(without)


def same_call_ids(call_id: str = "call_same") -> Fault:
    """The answer's calls all with one id."""

    def repeated(message: dict[str, Any]) -> None:
        for call in message["tool_calls"]:
            call["id"] = call_id

    return _altered_message(repeated)


def raw_arguments(text: Any, *, position: int = 0) -> Fault:
    """The arguments of one of the answer's calls replaced by this."""

    def replaced(message: dict[str, Any]) -> None:
        message["tool_calls"][position]["function"]["arguments"] = text

    return _altered_message(replaced)
