"""Agents: a model with instructions and tools."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from agboss.declare.definitions import attach

Decorated = TypeVar("Decorated", bound=type[Any])


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """What ``@agent`` attaches."""

    name: str
    description: str
    prompt: str
    model: str
    tools: tuple[type[Any], ...]
    max_turns: int
    model_timeout: timedelta


def agent(
    *,
    name: str,
    description: str,
    prompt: str,
    model: str,
    tools: Sequence[type[Any]] = (),
    max_turns: int = 25,
    model_timeout: timedelta = timedelta(seconds=120),
) -> Callable[[Decorated], Decorated]:
    """Declare an agent.

    Args:
        name: ends in ``-agent``.
        description: for people.
        prompt: the model's instructions.
        model: its name; the provider whose patterns match it serves it.
        tools: what it can call.
        max_turns: model turns before the step fails with ``LimitExceededError``.
        model_timeout: of one model turn.
    """

    def declare(target: Decorated) -> Decorated:
        attach(
            target,
            AgentDefinition(
                name=name,
                description=description,
                prompt=prompt,
                model=model,
                tools=tuple(tools),
                max_turns=max_turns,
                model_timeout=model_timeout,
            ),
        )
        return target

    return declare
