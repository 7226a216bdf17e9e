"""Declarations bound to what runs them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agboss.declare.channel import ChannelDefinition, ChannelOf, ChannelRoleDefinition
from agboss.declare.tool import ToolDefinition
from agboss.domain.ids import ContentHash
from agboss.domain.plan import FlowPlan


@dataclass(frozen=True, slots=True)
class ToolBinding:
    """A checked tool."""

    component: type[Any]
    definition: ToolDefinition
    input_model: type[BaseModel]
    output_model: type[BaseModel] | None
    """The DTO that ``run`` is annotated to return, where it is one."""


@dataclass(frozen=True, slots=True)
class ChannelBinding:
    """A checked channel, with the role it fills."""

    component: type[Any]
    definition: ChannelDefinition
    role: ChannelRoleDefinition | None

    @property
    def hears_answers(self) -> bool:
        """Whether it has an ``answered`` of its own: all others cost nothing when a question is answered."""
        return getattr(self.component, "answered", ChannelOf.answered) is not ChannelOf.answered


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with its instance."""

    run: Callable[[Any], Any]
    input_model: type[BaseModel]
    output_model: type[BaseModel] | None


@dataclass(frozen=True, slots=True)
class BoundChannel:
    """A channel with its instance; ``withdraw`` is optional on a concrete channel (S218), ``answered`` on any."""

    send: Callable[[Any], Any]
    withdraw: Callable[[Any], Any] | None
    answered: Callable[[Any], Any] | None


@dataclass(frozen=True, slots=True)
class CompiledFlow:
    """A workflow ready to be started."""

    plan: FlowPlan
    plan_bytes: bytes
    plan_hash: ContentHash
    start_model: type[BaseModel]
    finish_model: type[BaseModel]
    reaches_owner: bool
    """It can ask the thread's owner, so it needs one (R15)."""
