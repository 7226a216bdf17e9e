"""A worker process: the project's own activities over a gated index, and user code that the world may delay or fail."""

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal, Frame, enter
from agboss.errors import ModelRejectedError, ModelUnavailableError
from agboss.temporal import wire
from agboss.temporal.activities.ask import Asks
from agboss.temporal.activities.call import Calls
from agboss.temporal.activities.model_turn import ModelTurns
from agboss.temporal.activities.transactions import Transactions
from agboss.temporal.activities.withdraw import Withdraws
from agboss.temporal.activities.worker_errors import for_temporal
from agboss.temporal.user_code import UserCodeTimeout
from agboss.temporal.wire import Ask, Call, ModelTurn, TakeBack
from tests.simulation.index import GatedIndex
from tests.simulation.world import Process, World

PROCESS: ContextVar[Process] = ContextVar("the process that user code runs in")


class SimUserCode:
    """In place of ``UserCode``: on the world's loop, without threads."""

    def __init__(self, world: World, process: Process) -> None:
        self._world = world
        self._process = process

    async def run(self, function: Callable[..., Any], *args: Any, frame: Frame, timeout: float) -> Any:
        world, process = self._world, self._process
        name = function.__qualname__
        await world.gate(f"{process.name}: {name}", process)
        if name.endswith("complete"):
            if world.chance("model_away"):
                raise ModelUnavailableError("simulated: away")
            if world.chance("model_rejects"):
                raise ModelRejectedError("simulated: rejected")
        token = PROCESS.set(process)
        try:
            with enter(frame):
                result = function(*args)
                if inspect.isawaitable(result):
                    result = await result
        finally:
            PROCESS.reset(token)
        if not name.endswith("complete") and world.chance("user_timeout"):
            raise UserCodeTimeout("simulated: took too long")
        return result


class Worker:
    """One process that runs steps."""

    def __init__(self, world: World, index: GatedIndex, assembled: Assembled, process: Process) -> None:
        self.process = process
        user_code: Any = SimUserCode(world, process)
        gated: Any = index
        self.withdraws = Withdraws(gated, assembled, user_code)
        self._turns = ModelTurns(gated, assembled, user_code)
        self._asks = Asks(gated, assembled, user_code, self.withdraws)
        self._calls = Calls(gated, assembled, user_code)
        self._transactions = Transactions(gated)

    async def run(self, message: Any, name: str, *, attempt: int, signal: CancellationSignal) -> Any:
        """As ``Activities`` does.

        Raises:
            ApplicationError: as Temporal would be told.
        """
        transactions = {
            wire.REST: self._transactions.rest,
            wire.WAKE: self._transactions.wake,
            wire.FENCE: self._transactions.fence,
            wire.END: self._transactions.end,
        }
        if name in transactions:
            transaction: Any = transactions[name]
            return await transaction(message)
        with for_temporal():
            match message:
                case ModelTurn():
                    return await self._turns.run(message, attempt=attempt, signal=signal)
                case Ask():
                    return await self._asks.run(message, attempt=attempt, signal=signal)
                case Call():
                    return await self._calls.run(message, attempt=attempt, signal=signal)
                case TakeBack(owed=owed, after_send=after_send):
                    key: Any = owed.step_key
                    return await self.withdraws.tell(
                        key, timeout_seconds=owed.timeout_seconds, signal=signal, attempt=attempt, force=after_send
                    )
        raise AssertionError(f"no step of that kind: {message}")
