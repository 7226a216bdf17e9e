"""A reading's workflow: one activity, tried again until it ends. It is no holder and has no place in any tree."""

import json
from collections.abc import Sequence
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RawValue

from agboss.temporal import limits
from agboss.temporal.reading_wire import READING, Read, ReadResult


def reading_of(args: Sequence[RawValue]) -> Read | None:
    """The reading that a workflow was started with; ``None`` where it was started with something else."""
    try:
        (value,) = args
        if json.loads(value.payload.data)["kind"] == READING:
            return workflow.payload_converter().from_payload(value.payload, Read)
    except Exception:
        # Total: what is no reading may still be an execution's input, and that is decoded with an error of its own.
        return None
    return None


async def read(step: Read) -> ReadResult:
    """Run the activity; a lost worker, an index or a model that is away are tried again."""
    kind = limits.READING
    workflow.set_current_details(f"**reading a reply** to {step.tool}")
    result: ReadResult = await workflow.execute_activity(
        step.interpreter,
        step,
        result_type=ReadResult,
        start_to_close_timeout=timedelta(seconds=step.timeout_seconds) + kind.grace,
        heartbeat_timeout=kind.heartbeat,
        retry_policy=kind.retries(),
        cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        summary=f"a reply to {step.tool}"[:200],
    )
    return result
