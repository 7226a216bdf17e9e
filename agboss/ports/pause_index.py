"""The pause index: the authority on the status of every pause, and the journal of what has been done.

One method is one transaction; there is nothing smaller, so nobody can do half of one. This page is enough to implement
it. For every transaction of a tree:

* it is serial with all others of the same tree, and durable before it returns;
* it is idempotent: called again with the same arguments it changes nothing and gives what stands;
* it adds 1 to the tree's ``seq``, and order is by ``seq``, never by time;
* *set moving(h)*: state = moving, motion + 1, the tree is not at rest; a missing row is inserted; never an ended holder;
* *end(path)*: all holders under the path are ended and reaped, their open records are closed;
* *evaluate the rest*, at the end of ``rest`` and of every transaction that ends a holder: if the tree is live, no holder
  of it moves, a pause is ``PENDING`` and it is not at rest: it is at rest, ``rest_no`` + 1, one pause event.

Every method may raise ``IndexUnavailableError`` (try again), ``IndexMissingError`` or ``IndexSchemaError``.
Times come from the clock that the index is made with.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from agboss.domain.conversation import Usage
from agboss.domain.events import AnyExecutionEvent
from agboss.domain.executions import PauseEntry
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import (
    ContentHash,
    ExecutionId,
    HolderId,
    OwnerId,
    Path,
    PauseId,
    PauseKey,
    ReadingId,
    StepKey,
    TenantId,
    ThreadId,
    TurnKey,
    WorkflowId,
)
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus, PendingPause
from agboss.domain.resolutions import WithdrawalReason
from agboss.domain.rests import HolderRef, Owed, RestAnswer, RestRequest

JsonObject = dict[str, Any]
ANSWERED = "answered"
"""In a decision: the answer to a question, in the place of ``approved``."""


# --- what the transactions take and give -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StartTree:
    """T0: a tree is about to be started."""

    root: ExecutionId
    tenant: TenantId
    thread: ThreadId
    owner: OwnerId | None
    workflow: str
    workflow_id: WorkflowId
    plan: bytes
    """Kept as a blob under its content hash."""
    plan_hash: ContentHash
    input: JsonObject
    fields: JsonObject
    """The project's own fields of the ExecutionContext."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFrame:
    """What never changes in a tree: the frame its steps run in."""

    root: ExecutionId
    tenant: TenantId
    thread: ThreadId
    owner: OwnerId | None
    workflow: str
    workflow_id: WorkflowId
    plan_hash: ContentHash
    input: JsonObject
    fields: JsonObject
    started_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Responder:
    """Who answered, by which right."""

    answerer: PauseAnswerer
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A decision on its way into a record."""

    decision: JsonObject
    """``approved``, and ``reason``/``override_arguments`` where given; or ``answered`` alone. Validated."""
    masked_decision: JsonObject
    responder: Responder | None
    """``None`` where the channel decided at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRecord:
    """One pause as the index has it."""

    step_key: StepKey
    pause_key: PauseKey
    root: ExecutionId
    execution: ExecutionId
    holder: HolderId
    workflow_id: WorkflowId
    """Of the holder."""
    path: Path
    tenant: TenantId
    thread: ThreadId
    owner: OwnerId | None
    """The thread's."""
    status: PauseStatus
    resolution: PauseResolution | None
    answered_by: PauseAnswerer
    four_eyes: bool
    channel: str
    implementation: str
    agent: str
    tool: str
    call_id: str
    arguments: JsonObject
    masked_arguments: JsonObject
    summary: str
    schema_hash: str
    is_sent: bool
    """Whether ``send`` has returned (S146)."""
    answer: Answer | None
    acted_on: bool
    asked_at: datetime
    resolved_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvePause:
    """T1: an answer to record."""

    tenant: TenantId
    step_key: StepKey
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPause:
    """T1 done: whom to signal, and the rest the tree had reached before."""

    root: ExecutionId
    workflow_id: WorkflowId
    pause_key: PauseKey
    rest_no: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginReading:
    """A reply in free text is about to be read."""

    reading: ReadingId
    tenant: TenantId
    step_key: StepKey
    interpreter: str
    reply: str
    responder: Responder


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleReading:
    """What a reading came to."""

    reading: ReadingId
    answer: Answer | None = None
    """It is an answer: T1 is done with it."""
    reason: str | None = None
    """It is none; ``None`` of both: nobody may answer any more."""
    failure: FailureRecord | None = None
    """The error behind the reason."""
    usage: Usage | None = None
    """What the interpreter's model used, also where the reply was unreadable or too late; ``None``: no model was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPlace:
    """The pause that a reply answers, and the frame of its step."""

    pause: "PauseRecord"
    frame: "TreeFrame"
    call: "PlannedCall"
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One reading of one reply."""

    reading: ReadingId
    interpreter: str
    reply: str | None
    """Until it is settled; then the text is gone."""
    responder: Responder
    place: ReadingPlace | None
    """``None``: the pause's record is past retention."""
    outcome: Literal["answered", "unreadable", "too-late"] | None
    reason: str | None
    failure: FailureRecord | None
    rest_no: int | None
    """Of ``answered``: the rest that the tree had reached before."""
    usage: Usage | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One call of a recorded turn. ``result`` is what the model reads; a call that can't run has it from the start."""

    step_key: StepKey
    position: int
    call_id: str
    """The provider's, made unique within the turn."""
    tool: str
    raw_arguments: str
    """As the model gave them, for its own eyes in later requests."""
    arguments: JsonObject
    masked_arguments: JsonObject
    summary: str
    schema_hash: str
    gated: bool
    result: str | None = None
    failure: FailureRecord | None = None
    """Of a call that failed its agent's step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One model turn with its calls, in order of position."""

    turn_key: TurnKey
    root: ExecutionId
    execution: ExecutionId
    node: str
    visit: int
    path: Path
    """The step's place: the branch's path and a segment for the step. A pause's record has the path of its call's turn,
    so a fence over a failed step closes what its calls asked and nothing else."""
    item: int | None
    iteration: int
    validation_attempts: int
    agent: str
    model: str
    text: str
    calls: tuple[PlannedCall, ...]
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    output: JsonObject | None = None
    """The agent's answer, where this turn was its last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a model turn starts from."""

    frame: TreeFrame
    input: JsonObject
    """The step's input: the tree's start, or the output of the step before it."""
    turns: tuple[Turn, ...]
    """The step's turns so far, in order; the last may be the very one that is asked for."""
    fenced: bool
    """A fence covers the step, or the tree has ended: it must not go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPause:
    """T3: a call is about to be asked. What is asked is what its turn recorded under the step key."""

    ref: HolderRef
    execution: ExecutionId
    workflow_id: WorkflowId
    step_key: StepKey
    channel: str
    implementation: str
    answered_by: PauseAnswerer
    four_eyes: bool
    timeout_seconds: float
    """The tool's: when it has passed, a ``send`` can't be under way any more."""
    answer_schema: JsonObject | None = None
    """Of a question; it is shown with it."""
    implementations: tuple[str, ...] = ()
    """The channels that are asked, where there are several."""
    tells_answers: bool = False
    """A notice is owed also when the pause is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRefused:
    """A fence covers the path, or the tree has ended: the step stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSend:
    """The record waits and its ``send`` is to be called, now."""

    frame: TreeFrame
    pause_id: PauseId
    attempt: int
    call: PlannedCall
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFound:
    """The record is there and is not to be sent (again)."""

    status: PauseStatus
    failed_send: bool
    """``CANCELLED`` because its ``send`` had failed: the step fails."""
    failure: FailureRecord | None = None
    """What that ``send`` had raised."""
    owed: bool = False
    """It was answered, its channel is to be told, and nobody does yet."""


Opened = OpenRefused | OpenSend | OpenFound


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPause:
    """T3': a ``send`` has ended."""

    ref: HolderRef
    step_key: StepKey
    attempt: int
    outcome: Literal["sent", "decided", "failed"]
    answer: Answer | None = None
    """Of ``decided``."""
    failure: FailureRecord | None = None
    """Of ``failed``."""
    unclear: bool = False
    """Of ``failed``: the question may have been seen all the same (a time-out), so it must be taken back (R34)."""
    asked: tuple[str, ...] | None = None
    """Of several channels: those that asked, or may have."""
    decided_by: str | None = None
    """Of several channels that ``decided``: which."""
    rest: RestRequest | None = None
    """Rides in the same transaction, where the record then is ``PENDING``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentAnswer:
    """What the record is by now, and whether the holder rests."""

    status: PauseStatus
    failed_send: bool
    ignored: bool
    """The outcome changed nothing: an answer, a close or another attempt came first (R22: one warning)."""
    superseded: bool = False
    """This attempt failed while a newer one is under way, whose outcome nobody knows yet: the step asks again. Nobody
    else would hear of it, where the newer attempt is that of a worker Temporal no longer listens to."""
    owed: bool = False
    """It was answered, its channel is to be told, and nobody does yet."""
    rest: RestAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeRefused:
    """A fence covers the step, or its record was closed: it must not run."""

    motion: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeNothing:
    """No decision is recorded: go on waiting."""

    motion: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeRun:
    """The call may run, as ``decision`` says; ``call.result`` is set where it already did."""

    frame: TreeFrame
    motion: int
    call: PlannedCall
    decision: JsonObject | None
    """``None`` for a call that nobody needs to decide."""
    decided_by: str | None
    """Who, for the rejection's text: the responder, or the channel that decided at once (R13)."""
    begun_before: bool
    """An earlier attempt was let in and left no result: its worker was lost."""
    node: str


Take = TakeRefused | TakeNothing | TakeRun


@dataclass(frozen=True, slots=True, kw_only=True)
class EndHolder:
    """T4: the last thing a holder does."""

    ref: HolderRef
    outcome: Literal["finished", "failed", "cancelled"]
    output: JsonObject | None = None
    failure: FailureRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndAnswer:
    """T4 done."""

    parent_motion: int | None
    owed: tuple[Owed, ...]
    """Questions that this end leaves to be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wake:
    """T5: something nobody counted moved a holder (a timer, a cancel from outside, a child's violent end)."""

    ref: HolderRef
    gone: tuple[HolderRef, ...] = ()
    """Children that closed without ending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeAnswer:
    """T5 done."""

    motion: int
    owed: tuple[Owed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """T6: from now on nothing new under a path."""

    root: ExecutionId
    path: Path
    resolution: WithdrawalReason
    cancel: bool = False
    """The whole thread is cancelled: the root is set moving as well."""
    cancelled_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceAnswer:
    """T6 done. ``applied`` is false where the tree has ended, or (for a cancel) was fenced as a whole before."""

    applied: bool
    owed: tuple[Owed, ...]
    """All that is owed under the path by now and that nobody else has claimed, also where nothing was applied; without
    those whose ``send`` is under way (their own step tells)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One consistent look at a tree, for those who wait for it."""

    frame: TreeFrame
    ended: bool
    at_rest: bool
    rest_no: int
    untaken: bool
    """The pause that was asked about is still ``RESOLVED``."""
    pending: tuple[PendingPause, ...]
    """With the ids of THREAD_OWNER pauses. Records not yet sent aren't listed (R32)."""
    outcome: Literal["finished", "failed", "cancelled"] | None
    output: JsonObject | None
    failure: FailureRecord | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPause:
    """A waiting pause in a list over executions."""

    thread: ThreadId
    execution: ExecutionId
    """The root's."""
    workflow: str
    pause: PendingPause


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTree:
    """A tree that has not ended."""

    root: ExecutionId
    tenant: TenantId
    workflow_id: WorkflowId
    owner: OwnerId | None
    started_at: datetime
    fenced: bool
    """A fence covers the whole tree: a cancel is under way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """A recorded answer whose holder should be told again."""

    workflow_id: WorkflowId
    pause_key: PauseKey


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveHolder:
    """A holder that has not ended, for the sweep to ask Temporal about."""

    ref: HolderRef
    workflow_id: WorkflowId
    since: datetime
    fenced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """How a question was answered, for its channel."""

    masked_decision: JsonObject
    responder: str
    """The caller's name, or that of the channel which decided at once."""
    is_decided: bool
    """Another channel of the role decided: those that have no ``answered`` take the question back."""
    acted_on: bool | None
    """``None``: its step hasn't taken it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawClaim:
    """The right to tell a channel how its question closed, for as long as the lease."""

    frame: TreeFrame
    step_key: StepKey
    claim: int
    """Marks the told claim: an older one doesn't count."""
    pause_id: PauseId
    call: PlannedCall
    channel: str
    implementation: str
    implementations: tuple[str, ...]
    """Whom to tell: all that were asked, or may have been."""
    resolution: WithdrawalReason
    answer: GivenAnswer | None
    """``None``: it closed without an answer."""
    timeout_seconds: float
    node: str
    agent: str
    execution: ExecutionId


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxEvent:
    """An event to be delivered."""

    root: ExecutionId
    number: int
    event: AnyExecutionEvent


class PauseIndex(Protocol):
    """See the module's text for what holds for every method."""

    # --- the transactions of a tree ---

    async def start(self, tree: StartTree) -> None:
        """T0. The tree is live, its root holder moves with motion 1; the start event; the plan's blob.

        The thread is owned from the first execution that names an owner.

        Raises:
            ThreadOwnerError: the thread is owned by another, or ``owner`` is None on an owned thread.
            ThreadBusyError: the thread has a live tree (other than this very one).
        """
        ...

    async def resolve(self, resolve: ResolvePause) -> ResolvedPause:
        """T1. ``PENDING → RESOLVED``, the permanent answer's entry, *set moving(holder)*, nudge at now + 30 s; a notice is owed
        where the record ``tells_answers``.

        Raises:
            UnknownPauseError: the tenant has no such record (any more).
            NotPausedError: it isn't ``PENDING``, or its path is fenced.
        """
        ...

    async def take(self, ref: HolderRef, step_key: StepKey) -> Take:
        """T2. For a gated call: refused under a fence or for a closed record; ``RESOLVED → TAKEN`` with the resume event
        and *set moving(holder)*; already ``TAKEN``: the same decision, nothing moves; ``PENDING``: nothing to take.
        For an ungated call: refused under a fence, else it may run. Every ``TakeRun`` without a result marks the call
        as begun.

        Raises:
            PauseRecordExpiredError: a permanent answer exists and the record doesn't, and no result is in the journal.
        """
        ...

    async def settle(self, step_key: StepKey, *, result: str | None, failure: FailureRecord | None = None) -> PlannedCall:
        """T2'. The call's result enters the journal, once: what stands first stays and is returned."""
        ...

    async def open(self, pause: OpenPause) -> Opened:
        """T3. Refused under a fence or in an ended tree. The holder's row is inserted where there is none. The record of
        this step key is made (with a fresh id) or found; a ``PENDING`` one of the same position with other arguments is
        closed as ``WITHDRAWN``. Where it is ``PENDING`` and no ``send`` of it has returned: send_state = attempted,
        attempts + 1, and the caller is to send. Committed before ``send``.

        Raises:
            PauseRecordExpiredError: as ``take``.
        """
        ...

    async def sent(self, sent: SentPause) -> SentAnswer:
        """T3'. Applies only while send_state is attempted **and** the attempt is the record's latest; else nothing
        changes. ``sent``: marked so. ``decided``: ``PENDING → TAKEN``, DECIDED, the permanent answer's entry.
        ``failed``: ``PENDING → CANCELLED``; a withdraw is owed where an earlier attempt was made or this one is unclear,
        otherwise none is, also where the record was answered or closed meanwhile. An answer or close that came first stands.
        A ``sent``/``decided`` that finds its notice already claimed or told sets ``owed`` again.
        Of several channels: ``decided`` owes a notice to those that asked; from now on only ``asked`` are told, where this is
        the only attempt, and never the one that decided.
        Then, where asked and the record is ``PENDING``, ``rest``.
        """
        ...

    async def end(self, end: EndHolder) -> EndAnswer:
        """T4. *end(path)* (root: all); *set moving(parent)*; root: the tree is ended with its outcome, end or error event.
        Open records: ``PENDING → CANCELLED`` (CANCELLED; owed where attempted or sent), ``RESOLVED → CANCELLED``
        (keeps REPLIED and its answer, acted_on false). Ended before: nothing changes, the same ``owed`` that is left.
        """
        ...

    async def wake(self, wake: Wake) -> WakeAnswer:
        """T5. *set moving(self)*; for each gone child: fence, *end(path)*."""
        ...

    async def fence(self, fence: Fence) -> FenceAnswer:
        """T6. Inserts the fence and closes all records under the path: ``PENDING → CANCELLED`` with the resolution
        (owed where attempted or sent), ``RESOLVED → CANCELLED`` (REPLIED, acted_on false). With ``cancel``:
        *set moving(root)*. Records have the path of their call's turn; holders their own."""
        ...

    async def rest(self, request: RestRequest) -> RestAnswer:
        """T7. On an ended holder or tree: not accepted, fenced. Inserts confirmed children without a row as moving; marks
        seen-closed ones reaped; wants_slot = wanting > 0. Refused if a fence covers the holder, or a pause of it is
        ``RESOLVED``, or a child is ended and not reaped, or its motion isn't the one seen, or a slot is free for what it
        wants. Else resting; ``signal_parent`` whenever the parent wants a slot (*set moving(parent)* if it rests)."""
        ...

    # --- reading replies ---

    async def begin_reading(self, begin: BeginReading) -> bool:
        """A reply is kept until it is read. True: by this call; False: this very one was begun before.

        Raises:
            DtoValidationError: another reply, or another person's, was begun under this id.
        """
        ...

    async def reading(self, reading: ReadingId) -> Reading | None:
        """One consistent look at a reading, its pause and its step. ``None``: there is none (any more)."""
        ...

    async def settle_reading(self, settle: SettleReading) -> Reading | None:
        """T1 with the answer, if there is one, and the reading's outcome: ``answered``, ``unreadable``, or ``too-late``
        where T1 says that the pause doesn't wait any more. The text is erased. Once: what stands first stays and is returned.
        ``None``: the reading was dropped, and nothing happens."""
        ...

    async def drop_reading(self, reading: ReadingId) -> None:
        """Forget a reading that is not settled: whoever comes to read finds nothing to do."""
        ...

    async def delete_readings_before(self, cutoff: datetime, *, limit: int) -> int:
        """Retention: removes readings begun before ``cutoff``, read or not. Gives how many."""
        ...

    # --- the journal ---

    async def conversation(
        self, ref: HolderRef, execution: ExecutionId, node: str, visit: int, *, path: Path, input_from: str | None
    ) -> Conversation:
        """What a model turn of ``node`` starts from; ``input_from`` names the node whose output is its input, and ``path``
        is the step's place, for the fences. Turns are in order of iteration, then validation_attempts.

        Raises:
            RunTerminatedError: the tree is unknown.
        """
        ...

    async def record_turn(self, turn: Turn) -> Turn:
        """A turn enters the journal with its calls, once: what stands first stays and is returned."""
        ...

    async def record_answer(self, turn: Turn, end: EndHolder) -> tuple[Turn, EndAnswer | None]:
        """``record_turn`` of a holder's last turn, which has its output, and T4, in one commit. Where another turn stands
        already, the holder ends with that one's output, or does not end where it has none."""
        ...

    # --- telling channels how their questions closed ---

    async def claim_withdraw(self, step_key: StepKey, *, lease_seconds: float, force: bool = False) -> WithdrawClaim | None:
        """``owed``, or claimed with its lease over, becomes claimed. ``None``: there is nothing to tell, or another does.
        Of a record whose ``send`` was attempted and hasn't returned only with ``force``: its own step, after ``send``."""
        ...

    async def withdraw_told(self, step_key: StepKey, claim: int) -> None:
        """Told, if this claim is still the current one."""
        ...

    # --- reads for callers ---

    async def find(self, tenant: TenantId, pause_id: str) -> PauseRecord | None:
        """By the id as it came. The same statements run for unknown, malformed and foreign ids (S044)."""
        ...

    async def progress(self, tenant: TenantId, root: ExecutionId, step_key: StepKey | None = None) -> Progress | None:
        """One consistent look at a tree. ``None``: the tenant has no such tree."""
        ...

    async def changed(self, root: ExecutionId, *, seen: int, timeout: float, settled: bool = False) -> int:
        """Return as soon as the tree's ``seq`` is above ``seen``, or after ``timeout`` seconds; gives the present one.

        ``settled``: not while the tree moves; as soon as it also rests or has ended.
        """
        ...

    async def live_tree(self, tenant: TenantId, thread: ThreadId) -> LiveTree | None:
        """The thread's live tree."""
        ...

    async def thread_owner(self, tenant: TenantId, thread: ThreadId) -> OwnerId | None:
        """Who owns the thread; ``None`` for one without owner and for one that never was."""
        ...

    async def pending(self, tenant: TenantId, *, owner: OwnerId | None = None, limit: int = 100) -> tuple[ListedPause, ...]:
        """The tenant's waiting pauses, oldest first. With ``owner``: of the owner's threads alone, with the ids of
        THREAD_OWNER pauses; without: no ids at all (R32)."""
        ...

    async def entries(self, tenant: TenantId, root: ExecutionId) -> tuple[PauseEntry, ...]:
        """The permanent history of a tree, in the order the pauses were asked. Never read from the pause records (S183)."""
        ...

    # --- blobs ---

    async def put_blob(self, content: bytes) -> ContentHash:
        """Keep ``content`` under its hash."""
        ...

    async def get_blob(self, name: ContentHash) -> bytes:
        """Raises:
        KeyError: there is none.
        """
        ...

    # --- the sweep and the outbox ---

    async def lease(self, name: str, holder: str, *, seconds: float) -> bool:
        """Take or renew a named lease. False: another has it."""
        ...

    async def due_nudges(self, *, limit: int) -> tuple[Nudge, ...]:
        """Records still ``RESOLVED`` at their nudge_at; each is put off in the same transaction by 30 s × 2ⁿ, at most an
        hour."""
        ...

    async def owed_withdraws(self, *, limit: int) -> tuple[Owed, ...]:
        """What is owed and nobody tells: sent ones, lapsed claims, and attempted ones whose tool's timeout has passed."""
        ...

    async def live_holders(
        self, *, older_than_seconds: float, limit: int, after: HolderId | None = None
    ) -> tuple[LiveHolder, ...]:
        """Holders that have not ended, of live trees, by id, after ``after``."""
        ...

    async def delete_resolved_before(self, cutoff: datetime, *, limit: int) -> int:
        """Retention: removes records whose latest of resolved, taken and closed is before ``cutoff`` and that are settled
        or whose tree has ended, and whose withdraw isn't owed. Never a ``PENDING`` or ``RESOLVED`` one. The permanent
        entries stay. Gives how many."""
        ...

    async def undelivered(self, *, limit: int) -> tuple[OutboxEvent, ...]:
        """Events not delivered yet; of each tree in order, without gaps."""
        ...

    async def delivered(self, root: ExecutionId, number: int) -> None:
        """The event has been delivered."""
        ...

    # --- life of the store ---

    async def check(self) -> None:
        """Raises what every call would: missing, unavailable, wrong schema."""
        ...

    async def close(self) -> None:
        """Finish what was accepted and release everything. Idempotent."""
        ...
