"""One chat client of LangChain for one model, and our messages in its types. Importing this takes seconds: it is imported at
first use, and only by ``agboss.models.openai``."""

import asyncio
import json
import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import openai
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
)
from langchain_core.messages import SystemMessage as ChatSystemMessage
from langchain_core.messages import ToolMessage as ChatToolMessage
from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

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
from agboss.errors import ModelAnswerError, ModelError, ModelUnavailableError
from agboss.models.openai_errors import excerpt, status_error

_CALLS = "tool_calls"
_SHORTEST_SECRET = 8


class Chat:
    """One model at one endpoint. Its connections belong to the event loop that uses it first."""

    def __init__(
        self, *, model: str, base_url: str, host: str, api_key: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> None:
        self._where = f"model {model!r} at {host}"
        # A short header is no secret, and would mask half of what the endpoint says.
        self._secrets = (api_key, *(value for value in headers.values() if len(value) >= _SHORTEST_SECRET))
        # LangChain's default client is shared by all loops of the process; its connections would outlive theirs.
        self._http = openai.DefaultAsyncHttpxClient()
        self._chat = _RawChat(
            model=model,
            base_url=base_url,
            api_key=SecretStr(api_key),
            default_headers=dict(headers),
            extra_body=dict(body) or None,
            http_async_client=self._http,
            # Attempts are Temporal's: two that count each other's waits would multiply.
            max_retries=0,
            # By the model's name LangChain would pick an API that other endpoints don't have.
            use_responses_api=False,
            disable_streaming=True,
            cache=False,
            # HTTPS_PROXY is heeded; OPENAI_PROXY can't be combined with a client of our own.
            openai_proxy=None,
        )

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """As ``ModelProvider.complete``. No error has another as its cause: those repeat what the endpoint said, whole."""
        options: dict[str, Any] = {"timeout": request.timeout_seconds}
        if request.tools:
            options["tools"] = [to_function(tool) for tool in request.tools]
        try:
            # HTTP's timeout is for each read; an endpoint that drips would never reach it.
            async with asyncio.timeout(request.timeout_seconds):
                message = await self._chat.ainvoke([to_chat(message) for message in request.messages], **options)
            return to_answer(message)
        except (openai.APITimeoutError, TimeoutError):
            failure: ModelError = ModelUnavailableError(
                f"{self._where} gave no answer within {request.timeout_seconds:g} seconds"
            )
        except openai.APIConnectionError as error:
            failure = ModelUnavailableError(f"{self._where} can't be reached: {self._line(str(error.__cause__ or error))}")
        except openai.APIStatusError as error:
            failure = status_error(self._where, error.status_code, error.response.headers, error.body, secrets=self._secrets)
        except _EndpointError as error:
            failure = self._told_as_success(error.body)
        # What reading a body raises that is no chat completion: our requests are built from valid types.
        except (openai.OpenAIError, ValueError, TypeError, LookupError, AttributeError) as error:
            failure = ModelAnswerError(f"{self._where} answered with no chat completion: {self._line(str(error))}")
        raise failure

    def _told_as_success(self, body: object) -> ModelError:
        """Gateways tell an upstream's error with status 200 and the real one as its code."""
        code = body.get("code") if isinstance(body, Mapping) else None
        if isinstance(code, int) and 400 <= code <= 599:
            return status_error(self._where, code, {}, body, secrets=self._secrets)
        return ModelAnswerError(f"{self._where} answered with an error: {self._line(body)}")

    def _line(self, body: object) -> str:
        return excerpt(body, secrets=self._secrets)

    async def aclose(self) -> None:
        """Close the connections, on the loop that used them."""
        await self._http.aclose()


class _EndpointError(Exception):
    """A response with status 200 that carries an error."""

    def __init__(self, body: object) -> None:
        super().__init__()
        self.body = body


class _RawChat(ChatOpenAI):
    """LangChain sorts calls into valid and invalid ones, which loses their order, and refuses some shapes of arguments:
    here they stay as the endpoint gave them."""

    def _create_chat_result(
        self, response: dict[str, Any] | openai.BaseModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        body = response.model_dump(warnings=False) if isinstance(response, openai.BaseModel) else response
        if not isinstance(body, dict):
            raise TypeError(f"the body is no JSON object: {body!r:.200}")
        if body.get("error"):
            raise _EndpointError(body["error"])
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices:
            raise TypeError("there are no choices")
        message = choices[0].get("message") if isinstance(choices[0], dict) else None
        if not isinstance(message, dict):
            raise TypeError("the first choice has no message")
        plain = {name: value for name, value in message.items() if name not in (_CALLS, "function_call", "audio")}
        alone = body | {"choices": [choices[0] | {"message": plain | {"role": "assistant"}}]}
        result = super()._create_chat_result(alone, generation_info)
        result.generations[0].message.additional_kwargs[_CALLS] = message.get(_CALLS) or []
        return result


@singledispatch
def to_chat(message: object) -> BaseMessage:
    """One of our messages as LangChain's."""
    raise TypeError(f"no message: {type(message).__name__}")


@to_chat.register
def _(message: SystemMessage) -> BaseMessage:
    return ChatSystemMessage(message.text)


@to_chat.register
def _(message: UserMessage) -> BaseMessage:
    return HumanMessage(message.text)


@to_chat.register
def _(message: AssistantMessage) -> BaseMessage:
    # All as invalid ones: their arguments are sent as the text they are, and LangChain would send valid ones first.
    calls = [
        InvalidToolCall(type="invalid_tool_call", id=call.id, name=call.name, args=_text(call.arguments), error=None)
        for call in message.calls
    ]
    return AIMessage(message.text, invalid_tool_calls=calls)


@to_chat.register
def _(message: ToolMessage) -> BaseMessage:
    return ChatToolMessage(message.text, tool_call_id=message.call_id)


def to_function(tool: ToolSpec) -> dict[str, Any]:
    """A tool as OpenAI's API has it."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
    }


def to_answer(message: AIMessage) -> ModelAnswer:
    """LangChain's message as our answer.

    Raises:
        ValueError, TypeError, LookupError: what the endpoint gave makes no sense.
    """
    used = message.response_metadata.get("token_usage") or {}
    text = str(message.text) or message.additional_kwargs.get("refusal") or ""
    return ModelAnswer(
        text=_storable(text),
        calls=tuple(_call(raw) for raw in message.additional_kwargs[_CALLS]),
        usage=Usage(
            input_tokens=used.get("prompt_tokens") or 0,
            output_tokens=used.get("completion_tokens") or 0,
            cost=_cost(used.get("cost")),
        ),
    )


def _call(raw: Mapping[str, Any]) -> ToolCall:
    function = raw["function"]
    call_id = raw.get("id")
    return ToolCall(
        id=None if call_id in (None, "") else _storable(str(call_id)),
        name=_storable(function["name"]),
        arguments=_arguments(function.get("arguments")),
    )


def _storable(text: str) -> str:
    """JSON can say half a surrogate pair, which no UTF-8 can hold."""
    return text.encode(errors="replace").decode()


def _arguments(given: Any) -> dict[str, Any] | str:
    """A JSON object, or the text it should have been. Endpoints leave out empty arguments, and some send an object."""
    text = "" if given is None else _storable(_text(given))
    try:
        # Line breaks within strings are let through, as models write them.
        read = json.loads(text.strip() or "{}", strict=False, parse_constant=_no_constant)
        # As _storable: here the raw text has it escaped.
        json.dumps(read, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return text
    return read if isinstance(read, dict) else text


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _cost(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return float(given)
