"""The transactions that a holder asks for by itself: thin, because the index does the work."""

from typing import Literal

from temporalio import activity

from agboss.domain.pauses import PauseResolution
from agboss.domain.rests import RestAnswer, RestRequest
from agboss.ports.pause_index import EndHolder, Fence, JsonObject, PauseIndex, Wake
from agboss.temporal import wire
from agboss.temporal.activities.worker_errors import for_temporal
from agboss.temporal.wire import EndStep, FenceStep, Moved, WakeStep


class Transactions:
    """T4 to T7 as activities."""

    def __init__(self, index: PauseIndex) -> None:
        self._index = index

    @activity.defn(name=wire.REST)
    async def rest(self, request: RestRequest) -> RestAnswer:
        """T7."""
        with for_temporal():
            return await self._index.rest(request)

    @activity.defn(name=wire.WAKE)
    async def wake(self, step: WakeStep) -> Moved:
        """T5."""
        with for_temporal():
            answer = await self._index.wake(Wake(ref=step.ref, gone=step.gone))
            return Moved(motion=answer.motion, owed=answer.owed)

    @activity.defn(name=wire.FENCE)
    async def fence(self, step: FenceStep) -> Moved:
        """T6, by the holder that decides."""
        with for_temporal():
            answer = await self._index.fence(Fence(root=step.ref.root, path=step.path, resolution=_closing(step.resolution)))
            return Moved(motion=0, owed=answer.owed)

    @activity.defn(name=wire.END)
    async def end(self, step: EndStep) -> Moved:
        """T4."""
        with for_temporal():
            output = await self._output(step)
            answer = await self._index.end(
                EndHolder(ref=step.ref, outcome=step.outcome, output=output, failure=step.failure)
            )
            return Moved(motion=answer.parent_motion or 0, owed=answer.owed)

    async def _output(self, step: EndStep) -> JsonObject | None:
        if step.output_of is None:
            return None
        conversation = await self._index.conversation(
            step.ref, step.execution, step.output_of, 0, path=step.ref.path, input_from=None
        )
        return conversation.turns[-1].output


def _closing(resolution: PauseResolution) -> Literal[PauseResolution.WITHDRAWN, PauseResolution.CANCELLED]:
    return PauseResolution.WITHDRAWN if resolution is PauseResolution.WITHDRAWN else PauseResolution.CANCELLED
