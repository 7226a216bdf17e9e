"""Every timeout and retry of the durable side, with its reason, in one table."""

from dataclasses import dataclass
from datetime import timedelta

from temporalio.common import RetryPolicy


@dataclass(frozen=True, slots=True)
class StepLimits:
    """How Temporal runs one kind of step."""

    grace: timedelta
    """Start-to-close is the step's own timeout plus this: the activity enforces the timeout itself, because its answer is
    for the model; Temporal's is only for a worker that stopped answering."""
    heartbeat: timedelta | None
    """A worker that was killed is noticed after this."""
    first_retry: timedelta
    longest_retry: timedelta
    patience: timedelta | None
    """Schedule-to-close; ``None``: as long as it takes, because giving up would lose an answer."""

    def retries(self) -> RetryPolicy:
        """How it is tried again."""
        return RetryPolicy(initial_interval=self.first_retry, maximum_interval=self.longest_retry)


MODEL_TURN = StepLimits(
    grace=timedelta(seconds=30),
    heartbeat=timedelta(seconds=30),
    first_retry=timedelta(seconds=1),
    longest_retry=timedelta(seconds=60),
    # An endpoint that is down for an hour fails the agent's step; nothing was asked of anyone yet.
    patience=timedelta(hours=1),
)
ASK = StepLimits(
    grace=timedelta(seconds=30),
    heartbeat=timedelta(seconds=30),
    first_retry=timedelta(seconds=1),
    longest_retry=timedelta(seconds=30),
    patience=None,
)
CALL = ASK
WITHDRAW = StepLimits(
    grace=timedelta(seconds=30),
    heartbeat=timedelta(seconds=30),
    first_retry=timedelta(seconds=1),
    longest_retry=timedelta(seconds=30),
    # Best effort: the sweep tells what is left, so a root never hangs on a channel that is gone.
    patience=timedelta(minutes=10),
)
READING = StepLimits(
    grace=timedelta(seconds=30),
    heartbeat=timedelta(seconds=30),
    first_retry=timedelta(seconds=1),
    longest_retry=timedelta(seconds=30),
    # A reply is somebody's answer: it waits for a worker as a recorded decision does.
    patience=None,
)
READING_ATTEMPTS = 3
"""After so many attempts a reply whose interpreter's model is away counts as unreadable: somebody waits for it."""
TRANSACTION = StepLimits(
    grace=timedelta(seconds=10),
    heartbeat=None,
    first_retry=timedelta(milliseconds=200),
    longest_retry=timedelta(seconds=10),
    patience=None,
)
LOCAL_TRANSACTION_TIMEOUT = timedelta(seconds=2)
"""A transaction runs as a local activity, once; where the index is away it becomes a normal activity, which may take long
without holding the workflow task."""
MODEL_ANSWER_ATTEMPTS = 3
"""An endpoint that answers garbage fails the agent's step at this attempt; earlier ones may have failed of anything."""
HEARTBEAT_THROTTLE = timedelta(seconds=3)
"""How often a step really heartbeats: a cancel reaches it within this."""
STICKY_TIMEOUT = timedelta(seconds=1)
"""How long a task waits for the worker that has the execution in its cache: after a ``kill -9`` an answer takes 2 s
instead of 10."""
GRACEFUL_SHUTDOWN = timedelta(seconds=60)
"""How long a worker that is told to stop lets running steps end: at least the longest tool timeout."""
RPC_TIMEOUT = timedelta(seconds=5)
"""Of each call to Temporal. StartWorkflow's must stay below ``TAKE_OVER_AFTER``."""
TAKE_OVER_AFTER = timedelta(minutes=1)
"""A live tree that has no workflow is believed dead only when older than this."""
WITHDRAW_LEASE_SECONDS = 30.0
"""Added to the tool's timeout: after it, another may tell the channel."""
MAX_VALIDATION_ATTEMPTS = 3
"""How often an agent may try to give a valid structured answer."""
MAX_RESULT_BYTES = 1_000_000
"""A tool's result beyond this is ``Tool error: result too large``."""
