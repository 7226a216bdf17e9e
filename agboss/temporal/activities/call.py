"""Running a call: take the decision first, run the tool once, put the result into the journal last."""

import json
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.failures import FailureRecord
from agboss.domain.tool_texts import OUTCOME_UNKNOWN, rejected, tool_error
from agboss.errors import DomainError, DtoValidationError, ResumeIncompatibleError
from agboss.ports.pause_index import ANSWERED, PauseIndex, TakeNothing, TakeRefused, TakeRun
from agboss.temporal import limits
from agboss.temporal.activities.frames import frame_of
from agboss.temporal.failures import to_error, to_record
from agboss.temporal.user_code import UserCode, UserCodeTimeout
from agboss.temporal.wire import Call, CallResult

_JSON: TypeAdapter[Any] = TypeAdapter(Any)


class Calls:
    """Runs ``Call`` steps."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode) -> None:
        self._index = index
        self._assembled = assembled
        self._user_code = user_code

    async def run(self, step: Call, *, attempt: int, signal: CancellationSignal) -> CallResult:
        """Raises: a ``DomainError`` of the tool, which fails the agent's step (R10)."""
        taken = await self._index.take(step.ref, step.step_key)
        match taken:
            case TakeRefused(motion=motion):
                return CallResult(outcome="refused", motion=motion)
            case TakeNothing(motion=motion):
                return CallResult(outcome="nothing", motion=motion)
            case TakeRun():
                pass
        done = taken.call
        if done.result is None and done.failure is None:
            result, failure = await self._result(step, taken, attempt, signal)
            done = await self._index.settle(step.step_key, result=result, failure=failure)
        if done.failure is not None:
            raise to_error(done.failure)
        return CallResult(outcome="done", motion=taken.motion)

    async def _result(
        self, step: Call, taken: TakeRun, attempt: int, signal: CancellationSignal
    ) -> tuple[str | None, FailureRecord | None]:
        """What the model reads, or what the step fails with."""
        decision = taken.decision or {}
        if ANSWERED in decision:
            # A question: its answer is the result, and nothing runs (R19).
            return json.dumps(decision[ANSWERED], ensure_ascii=False), None
        if taken.decision is not None and not decision["approved"]:
            return rejected(taken.decided_by or "", decision.get("reason")), None
        if taken.begun_before and not step.idempotent:
            return OUTCOME_UNKNOWN, None
        try:
            arguments = self._arguments(step, taken)
        except ResumeIncompatibleError as error:
            return None, to_record(error)
        frame = frame_of(
            taken.frame,
            execution=step.execution,
            node=taken.node,
            agent=step.agent,
            call=taken.call,
            attempt=attempt,
            signal=signal,
        )
        try:
            output = await self._user_code.run(
                self._assembled.tool(step.tool).run, arguments, frame=frame, timeout=step.timeout_seconds
            )
            return self._text(step.tool, output), None
        except DomainError as error:
            return None, to_record(error)
        except UserCodeTimeout:
            return tool_error(f"{step.tool} did not end within {step.timeout_seconds:g} seconds"), None
        except Exception as error:
            return tool_error(str(error) or type(error).__name__), None

    def _arguments(self, step: Call, taken: TakeRun) -> BaseModel:
        """What was asked, or the validated overrides, as today's input of the tool.

        Raises:
            ResumeIncompatibleError: the code changed while the call waited, and the approval doesn't fit it any more (H02).
        """
        overrides = (taken.decision or {}).get("override_arguments")
        # Overrides may be empty: a tool whose fields all have defaults takes {}.
        asked = taken.call.arguments if overrides is None else overrides
        if not self._assembled.has_tool(step.tool):
            raise ResumeIncompatibleError(
                f"tool {step.tool!r} is not in this deployment any more; deploy it again to let the waiting call run",
                tool=step.tool,
            )
        try:
            return self._assembled.validate(step.tool, asked)
        except DtoValidationError as error:
            raise ResumeIncompatibleError(
                f"tool {step.tool!r} changed while its call waited, and what was asked is no input of it any more: "
                + "; ".join(error.problems),
                tool=step.tool,
            ) from error

    def _text(self, tool: str, output: Any) -> str:
        declared = self._assembled.tool(tool).output_model
        if declared is not None and not isinstance(output, declared):
            return tool_error(f"{tool} returned a {type(output).__name__}, its declared output is {declared.__name__}")
        if isinstance(output, str):
            text = output
        else:
            try:
                text = json.dumps(_JSON.dump_python(output, mode="json"), ensure_ascii=False)
            except (ValueError, TypeError, ValidationError):
                return tool_error(f"{tool} returned a {type(output).__name__}, which is no JSON data")
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > limits.MAX_RESULT_BYTES:
            return tool_error(f"result too large: {size:,} bytes, at most {limits.MAX_RESULT_BYTES:,} are allowed")
        return text
