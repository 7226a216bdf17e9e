"""Any OpenAI-compatible endpoint, through langchain-openai. One attempt a call: attempts are Temporal's to repeat."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from agboss.clocks import SystemClock
from agboss.domain.conversation import (
    AssistantMessage,
    Message,
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

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_openai import ChatOpenAI

LONGEST_WISH_SECONDS = 3_600.0
"""An endpoint that asks for more patience than this is tried again after it."""
_TOLD = 300
"""Characters of an endpoint's own message that are passed on."""
_SHORTEST_KEY = 8
"""A shorter one is a placeholder, as local endpoints want it, and may be any word."""
_WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429})
_REMEDIES = {
    401: "is the key right?",
    403: "may this key use this model?",
    404: "are the base URL and the model's name right?",
    413: "the conversation is too large for it",
}


class OpenAIModels:
    """A ``ModelProvider`` for one endpoint.

    Args:
        serves: shell-style patterns of the model names it answers for.
        base_url: with its ``/v1``; ``None``: ``OPENAI_BASE_URL``, or OpenAI's own.
        api_key: ``None``: ``OPENAI_API_KEY``, read at the first call.
        headers: sent with each request, as a gateway may want them.

    Raises:
        ConfigurationError: langchain-openai is not installed.
    """

    def __init__(
        self,
        *,
        serves: Sequence[str] = ("*",),
        base_url: str | None = None,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._serves = tuple(serves)
        self._base_url = base_url
        self._api_key = api_key
        self._headers = dict(headers or {})
        # Connections belong to the loop they were made on; user code's loop may be replaced.
        self._chats: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, float], ChatOpenAI]] = WeakKeyDictionary()
        _library()

    def __repr__(self) -> str:
        return f"OpenAIModels(serves={self._serves!r})"

    @property
    def serves(self) -> tuple[str, ...]:
        return self._serves

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """One chat completion; see ``ModelProvider``.

        Raises:
            ConfigurationError: there is no key.
        """
        import openai

        chat = self._chat(request)
        more: dict[str, Any] = {"tools": [_tool(spec) for spec in request.tools]} if request.tools else {}
        try:
            answer = await chat.ainvoke(_messages(request.messages), **more)
        except (openai.APIConnectionError, openai.APIStatusError) as error:
            raise _model_error(request.model, error) from None
        except (openai.OpenAIError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            raise ModelAnswerError(
                f"model {request.model!r}: the endpoint's answer is no chat completion ({type(error).__name__}); "
                "is the base URL that of an OpenAI-compatible endpoint, with its /v1?"
            ) from None
        return _answer(answer)

    async def aclose(self) -> None:
        """Close the connections, each on its own loop; those of a loop that has ended went with it."""
        for loop, chats in list(self._chats.items()):
            for chat in chats.values():
                if loop is asyncio.get_running_loop():
                    await chat.root_async_client.close()
                elif loop.is_running():
                    closing = asyncio.run_coroutine_threadsafe(chat.root_async_client.close(), loop)
                    await asyncio.wrap_future(closing)
        self._chats.clear()

    def _chat(self, request: ModelRequest) -> "ChatOpenAI":
        import openai

        key = self._api_key or os.environ.get("OPENAI_API_KEY")
        if not key:
            raise ConfigurationError("there is no key for the model's endpoint; set OPENAI_API_KEY, or give api_key=")
        chats = self._chats.setdefault(asyncio.get_running_loop(), {})
        name = (request.model, request.timeout_seconds)
        if name not in chats:
            chats[name] = _library()(
                model=request.model,
                api_key=key,
                base_url=self._base_url or os.environ.get("OPENAI_BASE_URL"),
                default_headers=self._headers,
                timeout=request.timeout_seconds,
                max_retries=0,
                use_responses_api=False,
                http_async_client=openai.DefaultAsyncHttpxClient(),
            )
        return chats[name]


@cache
def _library() -> "type[ChatOpenAI]":
    """langchain's chat client, which gives tool calls as the endpoint wrote them: in its order, whatever their arguments."""
    try:
        from langchain_openai import ChatOpenAI
    except ImportError as error:
        raise ConfigurationError(
            "OpenAIModels needs langchain-openai; install it with `pip install 'agboss-temporal[openai]'`"
        ) from error

    class Chat(ChatOpenAI):
        def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> Any:
            plain: Any = response if isinstance(response, dict | str) else response.model_dump(warnings=False)
            raw: list[Any] = []
            if isinstance(plain, dict):
                raw = [choice["message"].pop("tool_calls", None) for choice in plain.get("choices") or ()]
            result = super()._create_chat_result(plain, generation_info)
            for generation, calls in zip(result.generations, raw, strict=False):
                generation.message.additional_kwargs["raw_calls"] = calls or []
            return result

    return Chat


# --- what it is sent ---


def _messages(messages: Sequence[Message]) -> "list[BaseMessage]":
    return [_message(message) for message in messages]


def _message(message: Message) -> "BaseMessage":
    from langchain_core import messages as lc

    match message:
        case SystemMessage(text=text):
            return lc.SystemMessage(text)
        case UserMessage(text=text):
            return lc.HumanMessage(text)
        case AssistantMessage(text=text, calls=calls):
            echoed = lc.AIMessage(text)
            if calls:
                # Not in the constructor, which would sort those with broken arguments to the end.
                echoed.additional_kwargs["tool_calls"] = [_call(call) for call in calls]
            return echoed
        case ToolMessage(call_id=call_id, text=text):
            return lc.ToolMessage(text, tool_call_id=call_id)


def _call(call: ToolCall) -> dict[str, Any]:
    arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.input_schema},
    }


# --- what it answers ---


def _answer(message: "AIMessage") -> ModelAnswer:
    calls = tuple(_tool_call(raw) for raw in message.additional_kwargs.get("raw_calls", ()))
    counted = message.response_metadata.get("token_usage") or {}
    cost = counted.get("cost")
    return ModelAnswer(
        text=message.text,
        calls=calls,
        usage=Usage(
            input_tokens=counted.get("prompt_tokens") or 0,
            output_tokens=counted.get("completion_tokens") or 0,
            cost=float(cost) if isinstance(cost, int | float) else None,
        ),
    )


def _tool_call(raw: Mapping[str, Any]) -> ToolCall:
    function = raw.get("function") or {}
    text = function.get("arguments")
    arguments: Any = text
    if isinstance(text, str):
        try:
            arguments = json.loads(text) if text.strip() else {}
        except ValueError:
            arguments = text
    if not isinstance(arguments, dict):
        arguments = text if isinstance(text, str) else json.dumps(text)
    return ToolCall(id=raw.get("id") or None, name=function.get("name") or "", arguments=arguments)


# --- what goes wrong ---


def _model_error(model: str, error: Any) -> ModelError:
    """As ours: worth another try, or not. Neither the key nor more than a line of the endpoint's own text is in it."""
    status = getattr(error, "status_code", None)
    if status is None:
        slow = "did not answer in time" if "Timeout" in type(error).__name__ else "can't be reached"
        return ModelUnavailableError(f"model {model!r}: the endpoint {slow}")
    said = f"model {model!r}: the endpoint answered {status}: {_line(error)}"
    if status in _WORTH_ANOTHER_TRY or status >= 500:
        return ModelUnavailableError(said, retry_after=_wish(error.response.headers))
    remedy = _REMEDIES.get(status)
    return ModelRejectedError(f"{said}; {remedy}" if remedy else said)


def _line(error: Any) -> str:
    body = getattr(error, "body", None)
    text = body.get("message") if isinstance(body, dict) else body
    line = " ".join(str(text or error.response.reason_phrase or "no reason given").split())
    # An endpoint may repeat the key it was sent, in full or in part.
    key = error.request.headers.get("authorization", "").removeprefix("Bearer ")
    line = line.replace(key, "…") if len(key) >= _SHORTEST_KEY else line
    return line if len(line) <= _TOLD else f"{line[:_TOLD]}…"


def _wish(headers: Mapping[str, str]) -> float | None:
    """How many seconds the endpoint wants us to wait: ``retry-after-ms``, or ``Retry-After`` as seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                seconds = (parsedate_to_datetime(text) - SystemClock().now()).total_seconds()
            except (ValueError, TypeError):
                continue
        # A NaN compares with nothing, and counts as no wish.
        return min(max(seconds, 0.0), LONGEST_WISH_SECONDS) if seconds == seconds else None
    return None
