"""The steps of a holder as Temporal activities and local activities."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, TypeVar

from pydantic import BaseModel
from temporalio import workflow
from temporalio.common import RetryPolicy, SearchAttributeKey
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

from agboss.domain.failures import FailureRecord
from agboss.domain.rests import Owed, RestAnswer, RestRequest
from agboss.temporal import limits, wire
from agboss.temporal.wire import (
    Ask,
    AskResult,
    Call,
    CallResult,
    EndStep,
    FenceStep,
    ModelTurn,
    Moved,
    TakeBack,
    TurnResult,
    WakeStep,
)
from agboss.temporal.workflow.steps import StepFailed, Stopped

STATUS = SearchAttributeKey.for_keyword("AgbossStatus")
PENDING = SearchAttributeKey.for_int("AgbossPending")

Result = TypeVar("Result")


class TemporalSteps:
    """See ``Steps``."""

    def __init__(self, limits: wire.RunLimits) -> None:
        self._run_limits = limits
        self._shown: tuple[str, int] | None = None

    async def model_turn(self, step: ModelTurn, *, timeout_seconds: float) -> TurnResult:
        return await _activity(
            step.agent,
            step,
            TurnResult,
            limits.MODEL_TURN,
            timeout_seconds=timeout_seconds,
            summary=f"turn {step.iteration + 1}",
            waits=False,
        )

    async def ask(self, step: Ask, *, summary: str) -> AskResult:
        name = f"{step.channel.implementation}.send"
        return await _activity(name, step, AskResult, limits.ASK, timeout_seconds=step.timeout_seconds, summary=summary)

    async def call(self, step: Call, *, summary: str) -> CallResult:
        return await _activity(
            step.tool, step, CallResult, limits.CALL, timeout_seconds=step.timeout_seconds, summary=summary
        )

    async def take_back(self, owed: Owed, *, after_send: bool = False) -> None:
        try:
            await _activity(
                f"{owed.implementation}.{owed.kind}",
                TakeBack(owed=owed, after_send=after_send),
                type(None),
                limits.WITHDRAW,
                timeout_seconds=owed.timeout_seconds,
                summary=f"{owed.tool}: {'no longer asked' if owed.kind == 'withdraw' else 'answered'}",
            )
        except StepFailed as failed:
            # Best effort: what is still owed is the sweep's (S228, S229).
            workflow.logger.warning("a channel could not be told how its question closed yet: %s", failed)

    async def rest(self, request: RestRequest) -> RestAnswer:
        return await _transaction(wire.REST, request, RestAnswer)

    async def wake(self, step: WakeStep) -> Moved:
        return await _transaction(wire.WAKE, step, Moved)

    async def fence(self, step: FenceStep) -> Moved:
        return await _transaction(wire.FENCE, step, Moved)

    async def end(self, step: EndStep) -> Moved:
        return await _transaction(wire.END, step, Moved)

    def should_renew(self, *, signals: int) -> bool:
        info = workflow.info()
        return (
            info.get_current_history_length() > self._run_limits.events
            or info.get_current_history_size() > self._run_limits.bytes
            or signals > self._run_limits.signals
            or info.is_continue_as_new_suggested()
        )

    def show(self, *, status: str, waiting: Sequence[str]) -> None:
        lines = "\n".join(f"- {line}" for line in waiting)
        workflow.set_current_details(f"**{status}**\n\n{lines}" if lines else f"**{status}**")
        if (status, len(waiting)) != self._shown:
            self._shown = (status, len(waiting))
            workflow.upsert_search_attributes([STATUS.value_set(status), PENDING.value_set(len(waiting))])


async def _activity(
    name: str,
    step: BaseModel,
    result_type: type[Result],
    kind: limits.StepLimits,
    *,
    timeout_seconds: float,
    summary: str,
    waits: bool = True,
) -> Result:
    """``waits``: a cancelled one is waited for, because user code that runs can't be taken back."""
    try:
        result: Result = await workflow.execute_activity(
            name,
            step,
            result_type=result_type,
            start_to_close_timeout=timedelta(seconds=timeout_seconds) + kind.grace,
            schedule_to_close_timeout=kind.patience,
            heartbeat_timeout=kind.heartbeat,
            retry_policy=kind.retries(),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED
            if waits
            else workflow.ActivityCancellationType.TRY_CANCEL,
            summary=summary[:200],
        )
    except BaseException as error:
        raise _translated(error) from error
    return result


async def _transaction(name: str, message: Any, result_type: type[Result]) -> Result:
    try:
        result: Result = await workflow.execute_local_activity(
            name,
            message,
            result_type=result_type,
            start_to_close_timeout=limits.LOCAL_TRANSACTION_TIMEOUT,
            schedule_to_close_timeout=limits.LOCAL_TRANSACTION_TIMEOUT,
            retry_policy=RetryPolicy(maximum_attempts=1),
        )
        return result
    except ActivityError as error:
        if is_cancelled_exception(error):
            raise Stopped from error
    kind = limits.TRANSACTION
    try:
        result = await workflow.execute_activity(
            name,
            message,
            result_type=result_type,
            start_to_close_timeout=kind.grace,
            retry_policy=kind.retries(),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
    except BaseException as error:
        raise _translated(error) from error
    return result


def _translated(error: BaseException) -> BaseException:
    """A cancelled activity raises ``ActivityError`` too, so that is asked first."""
    if is_cancelled_exception(error):
        return Stopped()
    if isinstance(error, ActivityError):
        return StepFailed(_failure(error))
    return error


def _failure(error: ActivityError) -> FailureRecord:
    """What the activity raised, as our own code packed it; else what Temporal says of it."""
    cause = error.cause
    if isinstance(cause, ApplicationError) and cause.details:
        try:
            return FailureRecord.model_validate(cause.details[0])
        except ValueError:
            pass
    told = cause if cause is not None else error
    return FailureRecord(
        class_path=f"{type(told).__module__}:{type(told).__qualname__}",
        code=None,
        message=f"Temporal gave up on activity {error.activity_type!r}: {told}",
    )
