"""The index as one process sees it: a gate before and after every transaction, and a check after every commit."""

from collections.abc import Callable
from typing import Any

from agboss.errors import IndexUnavailableError
from agboss.ports.pause_index import PauseIndex
from tests.simulation.world import Process, World


class GatedIndex:
    """A ``PauseIndex`` that a process may be killed beside; it may also be away, before or after it has committed."""

    def __init__(self, world: World, index: PauseIndex, process: Process, committed: Callable[[str], None]) -> None:
        self._world = world
        self._index = index
        self._process = process
        self._committed = committed

    async def changed(self, root: Any, **how: Any) -> int:
        return await self._index.changed(root, **how)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._index, name)
        world, process = self._world, self._process

        async def gated(*args: Any, **kwargs: Any) -> Any:
            await world.gate(f"{process.name}: {name}", process)
            if world.chance("index_away"):
                raise IndexUnavailableError("simulated: away")
            try:
                result = await method(*args, **kwargs)
            finally:
                self._committed(f"{process.name}: {name}")
            world.note(f"{name} -> {result}")
            if world.chance("index_away"):
                raise IndexUnavailableError("simulated: away after its commit")
            if world.rng.random() < 0.3:
                await world.gate(f"{process.name}: after {name}", process)
            return result

        return gated
