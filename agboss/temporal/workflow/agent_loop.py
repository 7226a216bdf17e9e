"""One agent's step: its model turns, and the calls of each turn side by side."""

from agboss.decisions.keys import pause_key
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ContentHash, ExecutionId, Path, WorkflowId
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.domain.plan import AgentPlan, ToolPlan
from agboss.temporal.wire import Ask, AskResult, Call, CallToMake, FenceStep, ModelTurn, Position
from agboss.temporal.workflow.holder import Handle, Holder
from agboss.temporal.workflow.loop import LoopState, TooManyTurns
from agboss.temporal.workflow.scope import Scope
from agboss.temporal.workflow.steps import Stopped


class AgentLoop:
    """The two nodes of the loop for one agent step of one holder."""

    def __init__(
        self,
        holder: Holder,
        plan: AgentPlan,
        *,
        execution: ExecutionId,
        workflow_id: WorkflowId,
        plan_hash: ContentHash,
        index: int,
        visit: int,
        input_from: str | None,
        last: bool,
    ) -> None:
        self._holder = holder
        self._plan = plan
        self._tools = {tool.name: tool for tool in plan.tools}
        self._execution = execution
        self._workflow_id = workflow_id
        self._plan_hash = plan_hash
        self._index = index
        self._visit = visit
        self._input_from = input_from
        self._last = last
        self.path = Path(f"{holder.ref.path}/{plan.node}.{visit}" if holder.ref.path else f"{plan.node}.{visit}")
        self.ended = False
        """T4 rode in the last turn."""
        self.position = Position(agent=index, iteration=0, validation_attempts=0, calls=())

    async def model(self, state: LoopState) -> LoopState:
        """One model turn; the iteration counts turns that were made."""
        holder = self._holder
        holder.check()
        self._at(state)
        holder.check_renewal()
        results = []

        async def turn() -> None:
            step = ModelTurn(
                ref=holder.ref,
                execution=self._execution,
                plan_hash=self._plan_hash,
                node=self._plan.node,
                agent=self._plan.agent,
                visit=self._visit,
                path=self.path,
                iteration=state["iteration"],
                validation_attempts=state["validation_attempts"],
                input_from=self._input_from,
                last=self._last,
            )
            results.append(await holder.steps.model_turn(step, timeout_seconds=self._plan.model_timeout_seconds))

        scope = Scope(holder)
        scope.spawn(turn())
        await scope.join(on_failure=_nothing_to_take_back)
        holder.came()
        result = results[0]
        if result.outcome == "refused":
            raise Stopped
        self.ended = result.ended
        invalid = result.outcome == "invalid-answer"
        if result.outcome != "answer" and state["iteration"] + 1 >= self._plan.max_turns:
            # No turn is left to read what the calls would give, so none of them is made.
            raise TooManyTurns
        return LoopState(
            iteration=state["iteration"] + 1,
            validation_attempts=state["validation_attempts"] + invalid,
            calls=result.calls,
            answered=result.outcome == "answer",
        )

    async def calls(self, state: LoopState) -> LoopState:
        """All calls of a turn at once: gated ones ask and wait, the others run."""
        self._at(state)
        scope = Scope(self._holder)
        for call in state["calls"]:
            scope.spawn(self._one(call, scope))
        await scope.join(on_failure=self._take_back)
        self._at(state, done=True)
        return LoopState(
            iteration=state["iteration"],
            validation_attempts=state["validation_attempts"],
            calls=(),
            answered=False,
        )

    def _at(self, state: LoopState, *, done: bool = False) -> None:
        self.position = Position(
            agent=self._index,
            iteration=state["iteration"],
            validation_attempts=state["validation_attempts"],
            calls=() if done else state["calls"],
        )

    async def _one(self, call: CallToMake, scope: Scope) -> None:
        tool = self._tools[call.tool]
        if tool.channel is not None and call.gated:
            await self._gated(call, tool, scope)
        else:
            await self._run(call, tool, scope)
        self.position = self.position.model_copy(
            update={"calls": tuple(other for other in self.position.calls if other.step_key != call.step_key)}
        )

    async def _gated(self, call: CallToMake, tool: ToolPlan, scope: Scope) -> None:
        key = pause_key(call.step_key)
        # Registered before the question is put: an answer may be faster than the send.
        handle = self._holder.handles[key] = Handle(call.summary)
        try:
            asked, rests = await self._ask(call, tool, scope)
            if asked.owed:
                self._holder.notices.tell(self._holder.steps, call, tool)
            if asked.outcome == "pending":
                await self._wait(handle, call, tool, scope, rests=rests)
            while not await self._run(call, tool, scope):
                await self._wait(handle, call, tool, scope)
        finally:
            del self._holder.handles[key]

    async def _wait(self, handle: Handle, call: CallToMake, tool: ToolPlan, scope: Scope, *, rests: bool = False) -> None:
        await self._holder.wait(handle, rests=rests)
        scope.check()
        if tool.channel is not None and tool.channel.tells_answers:
            # Beside the call: a channel that is slow to take its buttons away doesn't keep the tool from running.
            self._holder.notices.tell(self._holder.steps, call, tool)

    async def _ask(self, call: CallToMake, tool: ToolPlan, scope: Scope) -> tuple[AskResult, bool]:
        holder = self._holder
        assert tool.channel is not None
        events = holder.events
        step = Ask(
            ref=holder.ref,
            execution=self._execution,
            workflow_id=self._workflow_id,
            step_key=call.step_key,
            agent=self._plan.agent,
            tool=tool.name,
            channel=tool.channel,
            timeout_seconds=tool.timeout_seconds,
            rest=holder.riding_request(),
        )
        asked = await holder.steps.ask(step, summary=call.summary)
        rests = asked.rest is not None and holder.judge_ride(asked.rest, events=events)
        holder.came()
        scope.check()
        if asked.outcome == "refused" or asked.status is PauseStatus.CANCELLED:
            raise Stopped
        return asked, rests

    async def _run(self, call: CallToMake, tool: ToolPlan, scope: Scope) -> bool:
        """Whether the call has its result now."""
        step = Call(
            ref=self._holder.ref,
            execution=self._execution,
            step_key=call.step_key,
            agent=self._plan.agent,
            tool=tool.name,
            timeout_seconds=tool.timeout_seconds,
            idempotent=tool.idempotent,
        )
        called = await self._holder.steps.call(step, summary=call.summary)
        self._holder.came(called.motion)
        scope.check()
        if called.outcome == "refused":
            raise Stopped
        return called.outcome == "done"

    async def _take_back(self) -> None:
        """A call failed the step: the turn's other questions are no longer needed (R09, S201)."""
        holder = self._holder
        fenced = await holder.steps.fence(FenceStep(ref=holder.ref, path=self.path, resolution=PauseResolution.WITHDRAWN))
        holder.owed.extend(fenced.owed)


async def _nothing_to_take_back() -> None:
    """A model turn asks nobody."""


def agent_failed(plan: AgentPlan, cause: FailureRecord) -> FailureRecord:
    """The failure of an agent's step, with what its tool, channel or model raised as the cause (R10, S196)."""
    return FailureRecord(
        class_path="agboss.errors:AgentFailedError",
        ancestors=("agboss.errors:StepFailedError", "agboss.errors:AgbossError"),
        code="step.agent",
        message=f"agent {plan.agent!r} failed: {cause.message}",
        data={"agent": plan.agent},
        cause=cause,
    )


def too_many_turns(plan: AgentPlan) -> FailureRecord:
    """Why an agent that doesn't come to an answer fails."""
    return FailureRecord(
        class_path="agboss.errors:LimitExceededError",
        ancestors=("agboss.errors:AgbossError",),
        code="limit",
        message=f"agent {plan.agent!r} made {plan.max_turns} model turns without an answer; raise its max_turns, or look at "
        "what its model keeps calling",
        data={"agent": plan.agent, "max_turns": plan.max_turns},
    )
