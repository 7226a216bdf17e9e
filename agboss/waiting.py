"""Waiting for a tree's next rest or its end, by the index alone: Temporal is not asked."""

import time
from datetime import timedelta

from agboss.domain.ids import ExecutionId, StepKey, TenantId
from agboss.errors import RunTerminatedError, WaitTimeoutError
from agboss.ports.pause_index import PauseIndex, Progress

_ONE_LOOK_SECONDS = 5.0
"""The index wakes the waiting earlier when the tree moves; this bounds one call of it."""


async def wait_for_tree(
    index: PauseIndex,
    tenant: TenantId,
    root: ExecutionId,
    *,
    after_rest: int,
    step_key: StepKey | None = None,
    timeout: timedelta | None = None,
) -> Progress:
    """Return at the first rest after number ``after_rest`` with the answer to ``step_key`` taken, or at the tree's end.

    Raises:
        WaitTimeoutError: nothing is lost, the execution goes on.
        RunTerminatedError: the tree was removed meanwhile.
    """
    deadline = None if timeout is None else time.monotonic() + timeout.total_seconds()
    seen = -1
    while True:
        left = _ONE_LOOK_SECONDS if deadline is None else min(_ONE_LOOK_SECONDS, deadline - time.monotonic())
        seen = await index.changed(root, seen=seen, timeout=max(left, 0.0), settled=True)
        progress = await index.progress(tenant, root, step_key)
        if progress is None:
            raise RunTerminatedError(f"execution {root} is not in the index any more", execution_id=root)
        rested = progress.at_rest and progress.rest_no > after_rest and not progress.untaken
        # A rest without a listed pause is a rest in motion: a pause is always listed with the status.
        if progress.ended or (rested and progress.pending):
            return progress
        if deadline is not None and time.monotonic() >= deadline:
            raise WaitTimeoutError(
                f"execution {root} neither rested nor ended in time; it goes on and nothing is lost",
                execution_id=root,
                thread_id=progress.frame.thread,
            )
