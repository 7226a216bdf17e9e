"""A model turn: read the journal, ask the model once, write the journal; the holder's end may ride in the last one."""

from agboss.assembly.assembled import Assembled
from agboss.decisions.keys import turn_key
from agboss.declare.context import CancellationSignal, Frame
from agboss.domain.conversation import ModelAnswer, ModelRequest
from agboss.domain.plan import AgentPlan, FlowPlan
from agboss.errors import ModelAnswerError, ModelUnavailableError
from agboss.ports.pause_index import EndAnswer, EndHolder, PauseIndex, Turn
from agboss.temporal import limits
from agboss.temporal.activities.frames import frame_of
from agboss.temporal.activities.plans import Plans
from agboss.temporal.activities.prompting import is_invalid_answer, planned, request_for
from agboss.temporal.user_code import UserCode, UserCodeTimeout
from agboss.temporal.wire import CallToMake, ModelTurn, TurnResult


class ModelTurns:
    """Runs ``ModelTurn`` steps."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode) -> None:
        self._index = index
        self._assembled = assembled
        self._user_code = user_code
        self._plans = Plans(index)

    async def run(self, step: ModelTurn, *, attempt: int, signal: CancellationSignal) -> TurnResult:
        """A turn that the journal has is not asked again (S008).

        Raises:
            ModelError: the model gave no answer.
        """
        flow, plan = await self._plans.agent(step.plan_hash, step.node)
        conversation = await self._index.conversation(
            step.ref, step.execution, step.node, step.visit, path=step.path, input_from=step.input_from
        )
        if conversation.fenced:
            return TurnResult(outcome="refused")
        key = turn_key(step.execution, step.node, step.visit, step.path, None, step.iteration)
        turn = next((turn for turn in conversation.turns if turn.turn_key == key), None)
        if turn is None:
            frame = frame_of(
                conversation.frame,
                execution=step.execution,
                node=step.node,
                agent=step.agent,
                call=None,
                attempt=attempt,
                signal=signal,
            )
            answer = await self._asked(plan, request_for(plan, conversation), frame)
            finish = self._assembled.flow(flow.workflow).finish_model if step.last else None
            calls, output = planned(plan, answer, turn=key, assembled=self._assembled, finish=finish)
            made = Turn(
                turn_key=key,
                root=step.ref.root,
                execution=step.execution,
                node=step.node,
                visit=step.visit,
                path=step.path,
                item=None,
                iteration=step.iteration,
                validation_attempts=step.validation_attempts,
                agent=step.agent,
                model=plan.model,
                text=answer.text,
                calls=calls,
                input_tokens=answer.usage.input_tokens,
                output_tokens=answer.usage.output_tokens,
                cost=answer.usage.cost,
                output=output,
            )
            turn, ended = await self._record(step, made)
            if ended is not None:
                # What is left to take back is the holder's to tell: it asks for its end again, and is given the same.
                return TurnResult(outcome="answer", ended=not ended.owed)
        return await self._result(step, flow, plan, turn)

    async def _record(self, step: ModelTurn, made: Turn) -> tuple[Turn, EndAnswer | None]:
        """Into the journal; the holder's end rides in its last turn."""
        if not step.last or made.output is None:
            return await self._index.record_turn(made), None
        return await self._index.record_answer(made, _end(step, made))

    async def _asked(self, plan: AgentPlan, request: ModelRequest, frame: Frame) -> ModelAnswer:
        provider = self._assembled.provider(plan.model)
        try:
            answer: ModelAnswer = await self._user_code.run(
                provider.complete, request, frame=frame, timeout=plan.model_timeout_seconds
            )
        except UserCodeTimeout as error:
            # A slow endpoint is worth another try; ours ends a little earlier than the provider's own time.
            raise ModelUnavailableError(
                f"model {plan.model!r} gave no answer within {plan.model_timeout_seconds:g} seconds"
            ) from error
        return answer

    async def _result(self, step: ModelTurn, flow: FlowPlan, plan: AgentPlan, turn: Turn) -> TurnResult:
        if turn.output is not None:
            ended = False
            if step.last:
                ended = not (await self._index.end(_end(step, turn))).owed
            return TurnResult(outcome="answer", ended=ended)
        if is_invalid_answer(plan, turn):
            attempts = turn.validation_attempts + 1
            if attempts >= limits.MAX_VALIDATION_ATTEMPTS:
                raise ModelAnswerError(
                    f"model {plan.model!r} gave no valid answer for {flow.finish!r} in {attempts} attempts; "
                    "look at the finish's fields and the agent's prompt"
                )
            return TurnResult(outcome="invalid-answer", calls=_to_make(turn))
        return TurnResult(outcome="calls", calls=_to_make(turn))


def _end(step: ModelTurn, turn: Turn) -> EndHolder:
    return EndHolder(ref=step.ref, outcome="finished", output=turn.output)


def _to_make(turn: Turn) -> tuple[CallToMake, ...]:
    return tuple(
        CallToMake(step_key=call.step_key, tool=call.tool, summary=call.summary, gated=call.gated)
        for call in turn.calls
        if call.result is None
    )
