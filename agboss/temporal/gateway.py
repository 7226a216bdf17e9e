"""What facade and sweep need of Temporal, and no more."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Protocol

from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError
from temporalio.common import (
    Priority,
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)
from temporalio.exceptions import ApplicationError, FailureError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from agboss.decisions.keys import digest
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import PauseKey, WorkflowId
from agboss.errors import AgbossError, RunTerminatedError, TemporalUnavailableError
from agboss.temporal import limits
from agboss.temporal.failures import to_error
from agboss.temporal.reading_wire import Read, ReadResult
from agboss.temporal.wire import LOOK, ExecutionInput

TENANT = SearchAttributeKey.for_keyword("AgbossTenant")
THREAD = SearchAttributeKey.for_keyword("AgbossThread")
STATUS = SearchAttributeKey.for_keyword("AgbossStatus")
PENDING = SearchAttributeKey.for_int("AgbossPending")


class WorkflowState(StrEnum):
    """What Temporal says of a workflow id."""

    RUNNING = "running"
    CLOSED = "closed"
    UNKNOWN = "unknown"


class Gateway(Protocol):
    """Every method may raise ``TemporalUnavailableError``."""

    async def start(self, workflow: str, workflow_id: WorkflowId, input: ExecutionInput) -> None:
        """Start a workflow; one that runs under that id already is the same one."""
        ...

    async def look(self, workflow_id: WorkflowId, key: PauseKey) -> bool:
        """Tell a holder to look at a pause. False: no such workflow runs."""
        ...

    async def cancel(self, workflow_id: WorkflowId) -> bool:
        """Ask a workflow to cancel itself. False: no such workflow runs."""
        ...

    async def state(self, workflow_id: WorkflowId) -> WorkflowState:
        """Whether a workflow runs."""
        ...

    async def start_reading(self, workflow_id: WorkflowId, step: Read) -> None:
        """Have a reply read; a reading that runs under that id is the same one."""
        ...

    async def reading_result(self, workflow_id: WorkflowId) -> ReadResult:
        """What became of a reading, once it has ended.

        Raises:
            AgbossError: it didn't end well: terminated, or its activity failed for good.
        """
        ...


class TemporalGateway:
    """Through a Temporal client, which may connect lazily."""

    def __init__(self, client: Client, *, task_queue: str, digest_threads: bool = False) -> None:
        self._client = client
        self._task_queue = task_queue
        self._digest_threads = digest_threads

    async def start(self, workflow: str, workflow_id: WorkflowId, input: ExecutionInput) -> None:
        thread = digest("thread", input.thread)[:32] if self._digest_threads else input.thread
        try:
            with _calling("start a workflow"):
                await self._client.start_workflow(
                    workflow,
                    input,
                    id=workflow_id,
                    task_queue=self._task_queue,
                    search_attributes=TypedSearchAttributes(
                        [
                            SearchAttributePair(TENANT, input.tenant),
                            SearchAttributePair(THREAD, thread),
                            SearchAttributePair(STATUS, "running"),
                            SearchAttributePair(PENDING, 0),
                        ]
                    ),
                    static_summary=f"{input.plan.workflow} {input.plan.version}",
                    # One tenant's ten thousand executions must not starve another's.
                    priority=Priority(fairness_key=digest("tenant", input.tenant)[:32]),
                    rpc_timeout=limits.RPC_TIMEOUT,
                )
        except WorkflowAlreadyStartedError:
            return
        except RPCError as error:
            raise TemporalUnavailableError("could not start a workflow: Temporal has no such namespace") from error

    async def look(self, workflow_id: WorkflowId, key: PauseKey) -> bool:
        handle = self._client.get_workflow_handle(workflow_id)
        try:
            with _calling("signal a workflow"):
                await handle.signal(LOOK, key, rpc_timeout=limits.RPC_TIMEOUT)
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return False
        return True

    async def cancel(self, workflow_id: WorkflowId) -> bool:
        handle = self._client.get_workflow_handle(workflow_id)
        try:
            with _calling("cancel a workflow"):
                await handle.cancel(rpc_timeout=limits.RPC_TIMEOUT)
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return False
        return True

    async def state(self, workflow_id: WorkflowId) -> WorkflowState:
        handle = self._client.get_workflow_handle(workflow_id)
        try:
            with _calling("describe a workflow"):
                description = await handle.describe(rpc_timeout=limits.RPC_TIMEOUT)
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            return WorkflowState.UNKNOWN
        running = description.status is WorkflowExecutionStatus.RUNNING
        return WorkflowState.RUNNING if running else WorkflowState.CLOSED

    async def start_reading(self, workflow_id: WorkflowId, step: Read) -> None:
        try:
            with _calling("have a reply read"):
                await self._client.start_workflow(
                    step.interpreter,
                    step,
                    id=workflow_id,
                    task_queue=self._task_queue,
                    # One that is closed read another row of the same name, or was ended from outside.
                    id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
                    id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
                    search_attributes=TypedSearchAttributes([SearchAttributePair(TENANT, step.tenant)]),
                    static_summary=f"a reply to {step.tool}",
                    priority=Priority(fairness_key=digest("tenant", step.tenant)[:32]),
                    rpc_timeout=limits.RPC_TIMEOUT,
                )
        except RPCError as error:
            raise TemporalUnavailableError("could not have a reply read: Temporal has no such namespace") from error

    async def reading_result(self, workflow_id: WorkflowId) -> ReadResult:
        handle = self._client.get_workflow_handle(workflow_id, result_type=ReadResult)
        try:
            with _calling("learn what a reply says"):
                result: ReadResult = await handle.result()
        except WorkflowFailureError as error:
            raise _failure_of(error) from error
        except RPCError as error:
            raise RunTerminatedError("the reading of the reply was ended from outside") from error
        return result


def _failure_of(error: WorkflowFailureError) -> AgbossError:
    """What a reading failed with, as our own code packed it; else what Temporal says of it."""
    cause: BaseException | None = error.cause
    while isinstance(cause, FailureError):
        if isinstance(cause, ApplicationError) and cause.details:
            found = to_error(FailureRecord.model_validate(cause.details[0]))
            return found if isinstance(found, AgbossError) else RunTerminatedError(str(found))
        cause = cause.__cause__
    return RunTerminatedError("the reading of the reply was ended from outside")


@contextmanager
def _calling(what: str) -> Iterator[None]:
    """Temporal being away is one error of ours, whichever way the SDK tells it; the rest passes."""
    try:
        yield
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise
        raise TemporalUnavailableError(
            f"could not {what}: Temporal answered {error.status.name}; is the server up, and are address and namespace right?",
            status=error.status.name,
        ) from error
    except RuntimeError as error:
        # A lazy client connects at its first call, and says so when it can't with a plain RuntimeError.
        if "connect" not in str(error):
            raise
        raise TemporalUnavailableError(
            f"could not {what}: Temporal can't be reached; is the server up, and is its address right?"
        ) from error
