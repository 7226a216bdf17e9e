"""The composition root: the only place that knows workflows, activities, stores and Temporal's worker together."""

from dataclasses import replace
from datetime import timedelta

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.converter import DataConverter
from temporalio.plugin import SimplePlugin
from temporalio.service import RPCError
from temporalio.worker import Worker, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from agboss.assembly.assembled import Assembled
from agboss.errors import TemporalUnavailableError
from agboss.ports.pause_index import PauseIndex
from agboss.settings import Settings
from agboss.temporal import limits
from agboss.temporal.activities.dispatch import Activities
from agboss.temporal.blob_storage import blob_storage
from agboss.temporal.user_code import UserCode
from agboss.temporal.workflow.execution import Execution

PASSED_THROUGH = (
    "agboss",  # the engine itself: no user code runs in a workflow, and 15 modules loaded anew cost 9 ms an instance
)
"""Modules that aren't executed again for each workflow instance, each with its reason."""


class AgbossPlugin(SimplePlugin):
    """Adds agboss to a Temporal client or worker of your own: converter, workflow, activities and sandbox."""

    def __init__(self, index: PauseIndex, assembled: Assembled | None = None, user_code: UserCode | None = None) -> None:
        activities = Activities(index, assembled, user_code).all() if assembled and user_code else []
        super().__init__(
            "agboss",
            data_converter=data_converter(index),
            activities=activities,
            workflows=[Execution],
            workflow_runner=_sandboxed,
        )


def data_converter(index: PauseIndex) -> DataConverter:
    """Pydantic's converter with large payloads in the index."""
    return replace(pydantic_data_converter, external_storage=blob_storage(index))


async def temporal_client(settings: Settings, index: PauseIndex, *, lazy: bool) -> Client:
    """A client. A lazy one connects at its first call, so that an answer can be recorded while Temporal is away; a worker
    needs one that is connected.

    Raises:
        TemporalUnavailableError: not lazy, and the server can't be reached.
    """
    try:
        return await Client.connect(
            settings.temporal_address,
            namespace=settings.temporal_namespace,
            api_key=settings.temporal_api_key,
            tls=settings.temporal_tls,
            data_converter=data_converter(index),
            lazy=lazy,
        )
    except (RuntimeError, RPCError) as error:
        raise TemporalUnavailableError(
            f"Temporal at {settings.temporal_address} can't be reached; start it (`agboss dev` for development) or set "
            "AGBOSS_TEMPORAL_ADDRESS"
        ) from error


def temporal_worker(
    client: Client, settings: Settings, *, task_queue: str, activities: Activities, longest_tool_seconds: float
) -> Worker:
    """A worker that serves every name of an application."""
    return Worker(
        client,
        task_queue=task_queue,
        workflows=[Execution],
        activities=activities.all(),
        workflow_runner=_sandboxed(None),
        max_concurrent_activities=settings.max_concurrent_activities,
        max_concurrent_workflow_tasks=max(settings.max_concurrent_activities, 10),
        max_cached_workflows=settings.max_cached_executions,
        sticky_queue_schedule_to_start_timeout=limits.STICKY_TIMEOUT,
        max_heartbeat_throttle_interval=limits.HEARTBEAT_THROTTLE,
        default_heartbeat_throttle_interval=limits.HEARTBEAT_THROTTLE,
        graceful_shutdown_timeout=max(limits.GRACEFUL_SHUTDOWN, timedelta(seconds=longest_tool_seconds)),
    )


def _sandboxed(runner: WorkflowRunner | None) -> WorkflowRunner:
    restrictions = SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH)
    return SandboxedWorkflowRunner(restrictions=restrictions)
