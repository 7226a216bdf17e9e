"""What facade and sweep need of Temporal, and no more."""

from enum import StrEnum
from typing import Protocol

from temporalio.client import Client, WorkflowExecutionStatus
from temporalio.common import Priority, SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from agboss.decisions.keys import digest
from agboss.domain.ids import PauseKey, WorkflowId
from agboss.errors import TemporalUnavailableError
from agboss.temporal import limits
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


class TemporalGateway:
    """Through a Temporal client, which may connect lazily."""

    def __init__(self, client: Client, *, task_queue: str, digest_threads: bool = False) -> None:
        self._client = client
        self._task_queue = task_queue
        self._digest_threads = digest_threads

    async def start(self, workflow: str, workflow_id: WorkflowId, input: ExecutionInput) -> None:
        thread = digest("thread", input.thread)[:32] if self._digest_threads else input.thread
        try:
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
            raise _unavailable(error, "start a workflow") from error

    async def look(self, workflow_id: WorkflowId, key: PauseKey) -> bool:
        handle = self._client.get_workflow_handle(workflow_id)
        try:
            await handle.signal(LOOK, key, rpc_timeout=limits.RPC_TIMEOUT)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return False
            raise _unavailable(error, "signal a workflow") from error
        return True

    async def cancel(self, workflow_id: WorkflowId) -> bool:
        handle = self._client.get_workflow_handle(workflow_id)
        try:
            await handle.cancel(rpc_timeout=limits.RPC_TIMEOUT)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return False
            raise _unavailable(error, "cancel a workflow") from error
        return True

    async def state(self, workflow_id: WorkflowId) -> WorkflowState:
        handle = self._client.get_workflow_handle(workflow_id)
        try:
            description = await handle.describe(rpc_timeout=limits.RPC_TIMEOUT)
        except RPCError as error:
            if error.status is RPCStatusCode.NOT_FOUND:
                return WorkflowState.UNKNOWN
            raise _unavailable(error, "describe a workflow") from error
        running = description.status is WorkflowExecutionStatus.RUNNING
        return WorkflowState.RUNNING if running else WorkflowState.CLOSED


def _unavailable(error: RPCError, what: str) -> TemporalUnavailableError:
    return TemporalUnavailableError(
        f"could not {what}: Temporal answered {error.status.name}; is the server up, and are address and namespace right?",
        status=error.status.name,
    )
