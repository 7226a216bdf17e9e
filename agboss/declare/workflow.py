"""Workflows: a flow with a name and a version."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from agboss.declare.definitions import attach
from agboss.declare.flow import Flow

Decorated = TypeVar("Decorated", bound=type[Any])


@dataclass(frozen=True, slots=True)
class WorkflowDefinition:
    """What ``@workflow`` attaches."""

    name: str
    version: str
    flow: tuple[Flow[Any, Any], ...]


def workflow(*, name: str, version: str, flow: Sequence[Flow[Any, Any]]) -> Callable[[Decorated], Decorated]:
    """Declare a workflow.

    Args:
        name: ends in ``-workflow``; its Temporal workflow type.
        version: for people; a running execution keeps the plan it was started with.
        flow: one flow, from a start to a finish.
    """

    def declare(target: Decorated) -> Decorated:
        attach(target, WorkflowDefinition(name=name, version=version, flow=tuple(flow)))
        return target

    return declare
