"""A holder's whole life: walk the flow, take back what nobody needs, end. Free of Temporal, so the simulation runs it."""

import asyncio
from dataclasses import dataclass
from typing import Literal

from agboss.domain.failures import FailureRecord
from agboss.domain.ids import WorkflowId
from agboss.domain.pauses import PauseResolution
from agboss.domain.rests import Owed
from agboss.temporal.wire import EndStep, ExecutionInput, FenceStep, Position, WakeStep
from agboss.temporal.workflow.agent_loop import AgentLoop, agent_failed, too_many_turns
from agboss.temporal.workflow.holder import Holder
from agboss.temporal.workflow.loop import LoopState, TooManyTurns, run_loop
from agboss.temporal.workflow.steps import StepFailed, Steps, Stopped


@dataclass(frozen=True, slots=True)
class Ended:
    """The holder has ended; nothing is left to do."""

    outcome: Literal["finished", "failed", "cancelled"]
    failure: FailureRecord | None = None


@dataclass(frozen=True, slots=True)
class Renew:
    """The holder goes on in a new run, from ``position``."""

    position: Position


class Flow:
    """One run of a holder's workflow."""

    def __init__(self, holder: Holder, steps: Steps, input: ExecutionInput, *, workflow_id: WorkflowId) -> None:
        self._holder = holder
        self._steps = steps
        self._input = input
        self._workflow_id = workflow_id
        self._position = input.position or Position(agent=0, iteration=0, validation_attempts=0, calls=())
        self._ending = False
        self._cancelled = False
        holder.begin(input.ref, steps)

    async def run(self) -> Ended | Renew:
        """To the end, or to the next run. This is the only task that a cancel from Temporal reaches."""
        loop = asyncio.get_running_loop()
        life = loop.create_task(self._live())
        while not life.done():
            over: asyncio.Future[None] = loop.create_future()
            life.add_done_callback(lambda _, over=over: over.done() or over.set_result(None))  # type: ignore[misc]
            try:
                await over
            except asyncio.CancelledError:
                await self._cancel()
        return life.result()

    async def _cancel(self) -> None:
        """A cancel from outside: nobody counted it, so the index is told before anything else (T5)."""
        if not self._ending and not self._cancelled:
            self._cancelled = True
            # From here on the holder is about to stop: it asks for no rest, also while the index is being told.
            self._holder.stopping += 1
            moved = await self._steps.wake(WakeStep(ref=self._input.ref))
            self._holder.came(moved.motion)
            if not self._ending:
                self._holder.stop()

    async def _live(self) -> Ended | Renew:
        outcome: Literal["finished", "failed", "cancelled"] = "finished"
        failure: FailureRecord | None = None
        ended = False
        try:
            ended = await self._walk()
        except StepFailed as failed:
            outcome, failure = "failed", failed.failure
        except Stopped:
            if self._holder.broken is not None:
                raise self._holder.broken from None
            if self._holder.renewing:
                await self._holder.notices.ended()
            if self._holder.renewing and not self._cancelled:
                return Renew(self._position)
            outcome = "cancelled"
        self._ending = True
        if not ended:
            await self._end(outcome, failure)
        await self._holder.notices.ended()
        self._steps.show(status=outcome, waiting=())
        return Ended(outcome, failure)

    async def _end(self, outcome: Literal["finished", "failed", "cancelled"], failure: FailureRecord | None) -> None:
        ref = self._input.ref
        if outcome == "cancelled":
            fenced = await self._steps.fence(FenceStep(ref=ref, path=ref.path, resolution=PauseResolution.CANCELLED))
            self._holder.owed.extend(fenced.owed)
        await self._take_back(self._holder.owed)
        agents = self._input.plan.agents
        moved = await self._steps.end(
            EndStep(
                ref=ref,
                execution=self._input.execution,
                outcome=outcome,
                output_of=agents[-1].node if outcome == "finished" else None,
                failure=failure,
            )
        )
        await self._take_back(moved.owed)

    async def _take_back(self, owed: list[Owed] | tuple[Owed, ...]) -> None:
        """All at once, so that a slow channel doesn't keep the others from being told (S230)."""
        loop = asyncio.get_running_loop()
        for told in [loop.create_task(self._steps.take_back(question)) for question in owed]:
            await told

    async def _walk(self) -> bool:
        """The agents one after another; whether the holder's end rode in the last turn."""
        agents = self._input.plan.agents
        start = self._position
        ended = False
        for index in range(start.agent, len(agents)):
            plan = agents[index]
            here = start if index == start.agent else Position(agent=index, iteration=0, validation_attempts=0, calls=())
            loop = AgentLoop(
                self._holder,
                plan,
                execution=self._input.execution,
                workflow_id=self._workflow_id,
                plan_hash=self._input.plan_hash,
                index=index,
                visit=0,
                input_from=agents[index - 1].node if index else None,
                last=index == len(agents) - 1,
            )
            state = LoopState(
                iteration=here.iteration,
                validation_attempts=here.validation_attempts,
                calls=here.calls,
                answered=False,
            )
            try:
                await run_loop(loop, state)
            except TooManyTurns:
                raise StepFailed(agent_failed(plan, too_many_turns(plan))) from None
            except StepFailed as failed:
                raise StepFailed(agent_failed(plan, failed.failure)) from None
            finally:
                self._position = loop.position
            ended = loop.ended
        return ended
