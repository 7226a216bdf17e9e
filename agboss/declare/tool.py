"""Tools: what an agent can do. A tool that names a channel runs only after a decision."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from agboss.declare.definitions import attach

Decorated = TypeVar("Decorated", bound=type[Any])
DEFAULT_TIMEOUT = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """What ``@tool`` attaches."""

    name: str
    description: str
    channel: type[Any] | None
    timeout: timedelta
    idempotent: bool


def tool(
    *,
    name: str,
    description: str,
    channel: type[Any] | None = None,
    timeout: timedelta = DEFAULT_TIMEOUT,
    idempotent: bool = True,
) -> Callable[[Decorated], Decorated]:
    """Declare a tool: a class with ``run(self, input: Dto) -> Output``, plain or async. One that asks a question role has no
    ``run``: the answer is its result.

    Args:
        name: ends in ``-tool``; the model calls it by this name.
        description: for the model.
        channel: the role or channel that decides before it runs; ``None``: it runs at once.
        timeout: of one run, one ``send`` and one ``withdraw``.
        idempotent: True: after a lost worker it runs again with the same idempotency key. False: it doesn't, and the model
            reads that the outcome is unknown.
    """

    def declare(target: Decorated) -> Decorated:
        attach(
            target,
            ToolDefinition(name=name, description=description, channel=channel, timeout=timeout, idempotent=idempotent),
        )
        return target

    return declare
