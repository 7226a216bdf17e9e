"""The one dynamic activity: it serves every declared agent, tool and channel under its own name."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, assert_never

from pydantic import TypeAdapter
from temporalio import activity
from temporalio.common import RawValue
from temporalio.service import RPCError, RPCStatusCode

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.ids import PauseKey, StepKey, WorkflowId
from agboss.ports.pause_index import PauseIndex
from agboss.temporal import limits
from agboss.temporal.activities.ask import Asks
from agboss.temporal.activities.call import Calls
from agboss.temporal.activities.model_turn import ModelTurns
from agboss.temporal.activities.read_reply import Readings
from agboss.temporal.activities.transactions import Transactions
from agboss.temporal.activities.withdraw import Withdraws
from agboss.temporal.activities.worker_errors import for_temporal
from agboss.temporal.reading_wire import AnyStep, Read, ReadResult
from agboss.temporal.user_code import UserCode
from agboss.temporal.wire import LOOK, Ask, Call, ModelTurn, StepResult, TakeBack

_STEP: TypeAdapter[AnyStep] = TypeAdapter(AnyStep)
_log = logging.getLogger("agboss.app")


class Activities:
    """Everything a worker of agboss runs."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode) -> None:
        self.withdraws = Withdraws(index, assembled, user_code)
        self._turns = ModelTurns(index, assembled, user_code)
        self._asks = Asks(index, assembled, user_code, self.withdraws)
        self._calls = Calls(index, assembled, user_code)
        self._readings = Readings(index, assembled, user_code)
        self._transactions = Transactions(index)

    def all(self) -> list[Callable[..., Any]]:
        """What a Temporal worker is given as ``activities``."""
        transactions = self._transactions
        return [self.step, transactions.rest, transactions.wake, transactions.fence, transactions.end]

    @activity.defn(dynamic=True)
    async def step(self, args: Sequence[RawValue]) -> StepResult | ReadResult:
        """Run one step; the message says of which kind it is, the activity's type what people call it."""
        with for_temporal():
            step = _STEP.validate_json(args[0].payload.data)
            signal = CancellationSignal()
            return await _alive(self._run(step, signal), signal)

    async def _run(self, step: AnyStep, signal: CancellationSignal) -> StepResult | ReadResult:
        attempt = activity.info().attempt
        match step:
            case ModelTurn():
                return await self._turns.run(step, attempt=attempt, signal=signal)
            case Ask():
                return await self._asks.run(step, attempt=attempt, signal=signal)
            case Call():
                return await self._calls.run(step, attempt=attempt, signal=signal)
            case TakeBack(owed=owed, after_send=after_send):
                await self.withdraws.tell(
                    StepKey(owed.step_key),
                    timeout_seconds=owed.timeout_seconds,
                    signal=signal,
                    attempt=attempt,
                    force=after_send,
                )
                return None
            case Read():
                return await self._readings.run(step, attempt=attempt, signal=signal, tell=_tell)
            case _:
                assert_never(step)


async def _tell(workflow_id: WorkflowId, key: PauseKey) -> bool:
    """The answer is recorded, so a signal that can't be sent is no error: the sweep sends it."""
    try:
        await activity.client().get_workflow_handle(workflow_id).signal(LOOK, key, rpc_timeout=limits.RPC_TIMEOUT)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            # It has ended: nobody is left to tell.
            return True
        _log.warning("an answer is recorded and will be delivered by the sweep: Temporal answered %s", error.status.name)
        return False
    return True


async def _alive(work: Coroutine[Any, Any, StepResult | ReadResult], signal: CancellationSignal) -> StepResult | ReadResult:
    """Run ``work`` to its end, heartbeating; a cancel only sets the signal, since user code can't be taken back."""
    task = asyncio.ensure_future(work)
    beat = asyncio.ensure_future(_beat())
    try:
        while True:
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                if task.cancelled():
                    raise
                signal.set("the worker shuts down" if activity.is_worker_shutdown() else "the execution was cancelled")
    finally:
        beat.cancel()


async def _beat() -> None:
    while True:
        # The first one only after a while: the server believes in a step that has just begun, and each one is a call to it.
        await asyncio.sleep(limits.HEARTBEAT_THROTTLE.total_seconds())
        activity.heartbeat()
