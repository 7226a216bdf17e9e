"""The one workflow class: dynamic, so that every declared flow, and every reading of a reply, runs under its own name."""

from collections.abc import Sequence

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError, CancelledError

from agboss.domain.ids import PauseKey, WorkflowId
from agboss.temporal.reading_wire import ReadResult
from agboss.temporal.wire import LOOK, ExecutionInput, ExecutionOutcome
from agboss.temporal.workflow.flow import Flow, Renew
from agboss.temporal.workflow.holder import Holder
from agboss.temporal.workflow.reading import read, reading_of
from agboss.temporal.workflow.temporal_steps import TemporalSteps


@workflow.defn(dynamic=True)
class Execution:
    """One execution of a flow. State is made here, because a signal may come in the first task, before ``run``."""

    def __init__(self) -> None:
        self._holder = Holder()

    @workflow.run
    async def run(self, args: Sequence[RawValue]) -> ExecutionOutcome | ReadResult:
        reading = reading_of(args)
        if reading is not None:
            return await read(reading)
        input = _decoded(args)
        workflow.set_current_details("**running**")
        flow = Flow(
            self._holder,
            TemporalSteps(input.limits),
            input,
            workflow_id=WorkflowId(workflow.info().workflow_id),
        )
        ended = await flow.run()
        if isinstance(ended, Renew):
            workflow.continue_as_new(args=[input.model_copy(update={"position": ended.position})])
        if ended.failure is not None:
            raise ApplicationError(
                ended.failure.message, ended.failure, type=ended.failure.code or "step", non_retryable=True
            )
        if ended.outcome == "cancelled" and workflow.cancellation_reason() is not None:
            raise CancelledError("cancelled")
        return ExecutionOutcome(outcome="finished" if ended.outcome == "finished" else "cancelled")

    @workflow.signal(dynamic=True)
    def signal(self, name: str, args: Sequence[RawValue]) -> None:
        """Total: anything that isn't one well-formed pause key that somebody waits under is counted and dropped (D04,
        S246)."""
        self._holder.signalled(_key(args) if name == LOOK else None)


def _decoded(args: Sequence[RawValue]) -> ExecutionInput:
    """The start input; an undecodable one fails the workflow instead of a task that would fail for ever."""
    try:
        if len(args) != 1:
            raise ValueError(f"one argument is needed, got {len(args)}")
        return workflow.payload_converter().from_payload(args[0].payload, ExecutionInput)
    except Exception as error:
        raise ApplicationError(
            f"the start input is not one of agboss: {type(error).__name__}; start flows with app.execute",
            type="wire.start-input",
            non_retryable=True,
        ) from error


def _key(args: Sequence[RawValue]) -> PauseKey | None:
    try:
        key = workflow.payload_converter().from_payload(args[0].payload, str)
    except Exception:
        return None
    return PauseKey(key) if len(args) == 1 and isinstance(key, str) and len(key) <= 64 else None
