"""What a model is sent and what it answers, free of any provider's types."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class ToolCall(_Frozen):
    """One call a model wants."""

    id: str | None
    """The provider's id: models repeat and omit them, so nothing is keyed by it."""
    name: str
    arguments: dict[str, Any] | str
    """A dict, or the raw text where it was no JSON object."""


class SystemMessage(_Frozen):
    role: Literal["system"] = "system"
    text: str


class UserMessage(_Frozen):
    role: Literal["user"] = "user"
    text: str


class AssistantMessage(_Frozen):
    role: Literal["assistant"] = "assistant"
    text: str
    calls: tuple[ToolCall, ...] = ()


class ToolMessage(_Frozen):
    """The result of one call, under the id its call has in the conversation."""

    role: Literal["tool"] = "tool"
    call_id: str
    tool: str
    text: str


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage


class ToolSpec(_Frozen):
    """A tool as a model is told of it."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Usage(_Frozen):
    """What one model call used, as the provider counts."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """The provider's own figure in its currency, where it gives one."""


class ModelRequest(_Frozen):
    """One chat completion to be made."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tenant_id: str = "default"
    timeout_seconds: float = 60.0


class ModelAnswer(_Frozen):
    """One chat completion: text, calls, or both; an empty turn has neither."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
