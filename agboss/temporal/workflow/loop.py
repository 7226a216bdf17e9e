"""An agent's loop: model → calls → model, until the model answers."""

from typing import Protocol, TypedDict

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


class TooManyTurns(Exception):
    """The loop took more turns than the agent's ``max_turns``."""


async def run_loop(nodes: LoopNodes, state: LoopState) -> LoopState:
    """Run the loop from ``state`` to the agent's answer.

    Raises:
        TooManyTurns: raised by the model's node, which counts.
    """
    while not state["answered"]:
        state = await (nodes.calls(state) if state["calls"] else nodes.model(state))
    return state
