"""Flows as values: ``start(In).to_agent(A).to_agent(B).to_finish(Out)``. Each step gives a new frozen object."""

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

Start = TypeVar("Start", bound=BaseModel)
Finish = TypeVar("Finish", bound=BaseModel)


class StartText(BaseModel):
    """The start of a flow that takes a text."""

    text: str


class FinishText(BaseModel):
    """The finish of a flow whose answer is the last agent's text. Any other finish is a structured answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Flow(Generic[Start, Finish]):
    """A whole flow."""

    start: type[Start]
    agents: tuple[type[Any], ...]
    finish: type[Finish]


@dataclass(frozen=True, slots=True)
class FlowSoFar(Generic[Start]):
    """A flow that has no finish yet."""

    start: type[Start]
    agents: tuple[type[Any], ...] = ()

    def to_agent(self, agent: type[Any]) -> "FlowSoFar[Start]":
        """Then this agent; its input is what came before it."""
        return FlowSoFar(self.start, (*self.agents, agent))

    def to_finish(self, finish: type[Finish]) -> Flow[Start, Finish]:
        """The flow ends with this, the last agent's answer."""
        return Flow(self.start, self.agents, finish)


def start(dto: type[Start]) -> FlowSoFar[Start]:
    """A flow begins with this input."""
    return FlowSoFar(dto)
