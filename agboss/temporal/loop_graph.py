"""An agent's loop as a LangGraph graph: model → calls → model, until the model answers.

One graph serves every agent, so it is compiled once a process; this module is passed through the workflow sandbox and
holds no state of any execution. Every node and edge is async (a sync one would need an executor, which a workflow's loop
hasn't got); the fan-out over a turn's calls is inside the ``calls`` node.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypedDict

from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from agboss.temporal.wire import CallToMake


class LoopState(TypedDict):
    """Where the loop stands; everything else is in the journal."""

    iteration: int
    validation_attempts: int
    calls: tuple[CallToMake, ...]
    """Calls to make before the next model turn."""
    answered: bool


class LoopNodes(Protocol):
    """What the two nodes do."""

    async def model(self, state: LoopState) -> LoopState: ...

    async def calls(self, state: LoopState) -> LoopState: ...


@dataclass(frozen=True, slots=True)
class _Context:
    """What the graph's nodes are given, in the form LangGraph takes."""

    nodes: LoopNodes


class TooManyTurns(Exception):
    """The loop took more turns than the agent's ``max_turns``."""


async def run_loop(nodes: LoopNodes, state: LoopState, *, max_turns: int) -> LoopState:
    """Run the loop from ``state`` to the agent's answer.

    Raises:
        TooManyTurns: ``max_turns`` model turns were made and the model still wants calls.
    """
    # Two super-steps a turn, and one more in which LangGraph sees that it is done.
    limit = 2 * (max_turns - state["iteration"]) + 2
    try:
        answered: LoopState = await _graph().ainvoke(
            state, config={"recursion_limit": max(limit, 1)}, context=_Context(nodes)
        )
    except GraphRecursionError as error:
        raise TooManyTurns from error
    return answered


async def _model(state: LoopState, runtime: Runtime[_Context]) -> LoopState:
    return await runtime.context.nodes.model(state)


async def _calls(state: LoopState, runtime: Runtime[_Context]) -> LoopState:
    return await runtime.context.nodes.calls(state)


async def _first(state: LoopState) -> str:
    return "calls" if state["calls"] else "model"


async def _next(state: LoopState) -> str:
    if state["answered"]:
        return END
    return "calls" if state["calls"] else "model"


@lru_cache(maxsize=1)
def _graph() -> Any:
    graph = StateGraph(LoopState, context_schema=_Context)
    graph.add_node("model", _model)
    graph.add_node("calls", _calls)
    graph.add_conditional_edges(START, _first, ["model", "calls"])
    graph.add_conditional_edges("model", _next, ["model", "calls", END])
    graph.add_edge("calls", "model")
    return graph.compile()
