"""The wire: names and types of every message between facade, workflows and activities.

Values (inputs, arguments, decisions, outputs) never travel here: they live in the index, and messages carry the keys they
are found by. What a person reads in the Temporal UI is masked. Everything here is passed through the workflow sandbox.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ContentHash, ExecutionId, Path, PauseKey, StepKey, TenantId, ThreadId, WorkflowId
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.domain.plan import ChannelPlan, FlowPlan
from agboss.domain.rests import HolderRef, Owed, RestAnswer, RestRequest

LOOK = "agboss.look"
"""Signal: an answer was recorded; it carries one pause key and only says "look"."""
REST = "agboss.rest"
WAKE = "agboss.wake"
FENCE = "agboss.fence"
END = "agboss.end"
MAX_CALLS_A_TURN = 50
"""Calls of one turn that run; more than that in one activation comes near Temporal's deadlock detector."""


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True)


# --- workflows ---------------------------------------------------------------------------------------------------


class CallToMake(_Message):
    """One call of a turn, as the workflow knows it."""

    step_key: StepKey
    tool: str
    summary: str
    """Masked; for the Temporal UI."""
    gated: bool


class Position(_Message):
    """Where an execution stands when it continues as new: everything else is in the journal."""

    agent: int
    """Index of the agent in the plan."""
    iteration: int
    validation_attempts: int
    calls: tuple[CallToMake, ...]
    """Calls of the current turn without a result; empty before a model turn."""


class RunLimits(_Message):
    """How long one run of a workflow gets before it continues as new, at the next quiet moment."""

    events: int = 4_000
    bytes: int = 4_000_000
    signals: int = 2_000
    """Temporal refuses a run's signals from the ten-thousandth on, forged ones included."""


class ExecutionInput(_Message):
    """The input of every execution's workflow."""

    ref: HolderRef
    execution: ExecutionId
    tenant: TenantId
    thread: ThreadId
    plan: FlowPlan
    plan_hash: ContentHash
    position: Position | None = None
    limits: RunLimits = RunLimits()


class ExecutionOutcome(_Message):
    """What an execution's workflow returns; the output itself is in the index."""

    outcome: Literal["finished", "cancelled"]


# --- steps that run user code or models: served by one dynamic activity ---------------------------------------------


class ModelTurn(_Message):
    """Ask the agent's model for its next turn. Activity type: the agent's name."""

    kind: Literal["model-turn"] = "model-turn"
    ref: HolderRef
    execution: ExecutionId
    plan_hash: ContentHash
    node: str
    agent: str
    visit: int
    path: Path
    iteration: int
    validation_attempts: int
    input_from: str | None
    """The node whose output is this one's input; ``None``: the start."""
    last: bool
    """The holder ends with this agent's answer: T4 rides in the turn."""


class TurnResult(_Message):
    """What came of a turn."""

    outcome: Literal["calls", "answer", "invalid-answer", "refused"]
    calls: tuple[CallToMake, ...] = ()
    """Those that have no result yet."""
    ended: bool = False
    """T4 is done."""


class Ask(_Message):
    """Open the pause and put the question to its channel. Activity type: ``<channel>.send``."""

    kind: Literal["ask"] = "ask"
    ref: HolderRef
    execution: ExecutionId
    workflow_id: WorkflowId
    step_key: StepKey
    agent: str
    tool: str
    channel: ChannelPlan
    timeout_seconds: float
    rest: RestRequest | None = None


class AskResult(_Message):
    """What the record is by now."""

    outcome: Literal["pending", "answered", "refused"]
    status: PauseStatus | None = None
    owed: bool = False
    """``answered``, and the channel is to be told."""
    rest: RestAnswer | None = None


class Call(_Message):
    """Take the decision, if the tool is gated, and run the tool. Activity type: the tool's name."""

    kind: Literal["call"] = "call"
    ref: HolderRef
    execution: ExecutionId
    step_key: StepKey
    agent: str
    tool: str
    timeout_seconds: float
    idempotent: bool


class CallResult(_Message):
    """``done``: the result is in the journal; ``nothing``: no decision is recorded, go on waiting."""

    outcome: Literal["done", "nothing", "refused"]
    motion: int


class TakeBack(_Message):
    """Tell a channel how its question closed. Activity type: ``<channel>.withdraw`` or ``<channel>.answered``."""

    kind: Literal["withdraw"] = "withdraw"
    owed: Owed
    after_send: bool = False
    """By the step that asked, whose ``send`` is not under way any more."""


Step = Annotated[ModelTurn | Ask | Call | TakeBack, Field(discriminator="kind")]
StepResult = TurnResult | AskResult | CallResult | None


# --- transactions that a holder asks for by itself: local activities ------------------------------------------------


class EndStep(_Message):
    """T4."""

    ref: HolderRef
    execution: ExecutionId
    outcome: Literal["finished", "failed", "cancelled"]
    output_of: str | None = None
    """The node whose output is the holder's."""
    failure: FailureRecord | None = None


class WakeStep(_Message):
    """T5."""

    ref: HolderRef
    gone: tuple[HolderRef, ...] = ()


class FenceStep(_Message):
    """T6."""

    ref: HolderRef
    path: Path
    resolution: PauseResolution


class Moved(_Message):
    """What T4, T5 and T6 give back."""

    motion: int
    owed: tuple[Owed, ...] = ()


__all__ = [
    "END",
    "FENCE",
    "LOOK",
    "REST",
    "WAKE",
    "Ask",
    "AskResult",
    "Call",
    "CallResult",
    "CallToMake",
    "EndStep",
    "ExecutionInput",
    "ExecutionOutcome",
    "FenceStep",
    "ModelTurn",
    "Moved",
    "PauseKey",
    "Position",
    "RestAnswer",
    "RestRequest",
    "RunLimits",
    "Step",
    "StepResult",
    "TakeBack",
    "TurnResult",
    "WakeStep",
]
