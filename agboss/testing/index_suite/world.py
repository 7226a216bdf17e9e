"""What the suite's tests share: a clock that stands still until it is moved, and short ways to bring an index somewhere."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from agboss.decisions.keys import content_hash, step_key, turn_key
from agboss.domain.events import AnyExecutionEvent
from agboss.domain.ids import ROOT, ExecutionId, HolderId, OwnerId, Path, PauseId, StepKey, TenantId, ThreadId, WorkflowId
from agboss.domain.pauses import PauseAnswerer, PauseResolution
from agboss.domain.rests import HolderRef, RestAnswer
from agboss.domain.rests import RestRequest as Request
from agboss.ports.clock import Clock
from agboss.ports.pause_index import (
    Answer,
    EndAnswer,
    EndHolder,
    Fence,
    FenceAnswer,
    Opened,
    OpenPause,
    OpenSend,
    PauseIndex,
    PauseRecord,
    PlannedCall,
    Progress,
    ResolvedPause,
    ResolvePause,
    Responder,
    SentAnswer,
    SentPause,
    StartTree,
    Take,
    TakeRun,
    Turn,
)

ACME = TenantId("acme")
OTHER = TenantId("other")
PLAN = b'{"plan": 1}'
TIMEOUT_SECONDS = 10.0
"""Of the suite's tools."""


class SettableClock:
    """A ``Clock`` that stands still until it is moved."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        """Move on."""
        self._now += timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was put: whose, which, and the right to answer it."""

    ref: HolderRef
    key: StepKey
    pause_id: PauseId


class World:
    """One index under test."""

    def __init__(self, index: PauseIndex, clock: SettableClock) -> None:
        self.index = index
        self.clock = clock

    # --- a tree ---

    async def start(
        self, root: str = "root", *, thread: str | None = None, tenant: TenantId = ACME, owner: str | None = None
    ) -> HolderRef:
        """T0. The thread is the root's own where none is given."""
        await self.index.start(
            StartTree(
                root=ExecutionId(root),
                tenant=tenant,
                thread=ThreadId(thread or f"thread-of-{root}"),
                owner=None if owner is None else OwnerId(owner),
                workflow="refund-workflow",
                workflow_id=WorkflowId(f"app.{root}"),
                plan=PLAN,
                plan_hash=content_hash(PLAN),
                input={"text": "hello"},
                fields={"trace": 1},
            )
        )
        return HolderRef(root=ExecutionId(root), holder=HolderId(root))

    def child(self, parent: HolderRef, name: str) -> HolderRef:
        """A child holder's reference."""
        path = f"{parent.path}/{name}" if parent.path else name
        return HolderRef(root=parent.root, holder=HolderId(f"{parent.holder}-{name}"), parent=parent.holder, path=Path(path))

    async def turn(
        self,
        ref: HolderRef,
        *arguments: dict[str, Any],
        gated: bool = True,
        node: str = "support-agent",
        iteration: int = 0,
        output: dict[str, Any] | None = None,
    ) -> tuple[StepKey, ...]:
        """A model turn with one call for each ``arguments``; gives their step keys."""
        given = self.planned(ref, *arguments, gated=gated, node=node, iteration=iteration, output=output)
        return tuple(call.step_key for call in (await self.index.record_turn(given)).calls)

    def planned(
        self,
        ref: HolderRef,
        *arguments: dict[str, Any],
        gated: bool = True,
        node: str = "support-agent",
        iteration: int = 0,
        output: dict[str, Any] | None = None,
        text: str = "",
    ) -> Turn:
        """A turn, not recorded yet."""
        execution = ExecutionId(ref.holder)
        path = Path(f"{ref.path}/{node}.0" if ref.path else f"{node}.0")
        key = turn_key(execution, node, 0, path, None, iteration)
        calls = tuple(
            PlannedCall(
                step_key=step_key(key, position, "refund-tool", given),
                position=position,
                call_id=f"call_{position}",
                tool="refund-tool",
                raw_arguments=str(given),
                arguments=given,
                masked_arguments=dict.fromkeys(given, "••••••"),
                summary="refund-tool: ••••••",
                schema_hash="schema",
                gated=gated,
            )
            for position, given in enumerate(arguments)
        )
        return Turn(
            turn_key=key,
            root=ref.root,
            execution=execution,
            node=node,
            visit=0,
            path=path,
            item=None,
            iteration=iteration,
            validation_attempts=0,
            agent=node,
            model="scripted",
            text=text,
            calls=calls,
            output=output,
        )

    # --- a pause ---

    async def open(
        self,
        ref: HolderRef,
        key: StepKey,
        *,
        answered_by: PauseAnswerer = PauseAnswerer.CHANNEL,
    ) -> Opened:
        """T3."""
        return await self.index.open(
            OpenPause(
                ref=ref,
                execution=ExecutionId(ref.holder),
                workflow_id=WorkflowId(f"app.{ref.holder}"),
                step_key=key,
                channel="refund-approval-channel",
                implementation="slack-refund-approval-channel",
                answered_by=answered_by,
                four_eyes=False,
                timeout_seconds=TIMEOUT_SECONDS,
            )
        )

    async def opened(self, ref: HolderRef, key: StepKey, *, answered_by: PauseAnswerer = PauseAnswerer.CHANNEL) -> OpenSend:
        """T3 that lets send."""
        opened = await self.open(ref, key, answered_by=answered_by)
        assert isinstance(opened, OpenSend), opened
        return opened

    async def sent(
        self,
        ref: HolderRef,
        key: StepKey,
        outcome: Literal["sent", "decided", "failed"] = "sent",
        *,
        attempt: int = 1,
        rest: int | None = None,
        **more: Any,
    ) -> SentAnswer:
        """T3'. ``rest``: the motion seen by a rest that rides."""
        if outcome == "decided":
            more.setdefault(
                "answer", Answer(decision={"approved": True}, masked_decision={"approved": True}, responder=None)
            )
        request = None if rest is None else Request(ref=ref, motion=rest)
        given = SentPause(ref=ref, step_key=key, attempt=attempt, outcome=outcome, rest=request, **more)
        return await self.index.sent(given)

    async def ask(self, ref: HolderRef, key: StepKey, *, answered_by: PauseAnswerer = PauseAnswerer.CHANNEL) -> Asked:
        """T3 and T3' of a question that was sent."""
        opened = await self.opened(ref, key, answered_by=answered_by)
        await self.sent(ref, key, attempt=opened.attempt)
        return Asked(ref, key, opened.pause_id)

    async def asked(self, root: str = "root", **start: Any) -> Asked:
        """A new tree whose one call was asked and waits."""
        ref = await self.start(root, **start)
        (key,) = await self.turn(ref, {"amount": 10})
        return await self.ask(ref, key)

    async def resolve(
        self, asked: Asked | StepKey, *, approved: bool = True, by: str = "manager-17", tenant: TenantId = ACME, **more: Any
    ) -> ResolvedPause:
        """T1."""
        key = asked.key if isinstance(asked, Asked) else asked
        answer = Answer(
            decision={"approved": approved, **more},
            masked_decision={"approved": approved},
            responder=Responder(answerer=PauseAnswerer.CHANNEL, name=by),
        )
        return await self.index.resolve(ResolvePause(tenant=tenant, step_key=key, answer=answer))

    async def take(self, asked: Asked) -> Take:
        """T2."""
        return await self.index.take(asked.ref, asked.key)

    async def taken(self, asked: Asked) -> TakeRun:
        """T2 that lets run."""
        taken = await self.take(asked)
        assert isinstance(taken, TakeRun), taken
        return taken

    async def record(self, asked: Asked, *, tenant: TenantId = ACME) -> PauseRecord:
        """The record, found by its id."""
        found = await self.index.find(tenant, asked.pause_id)
        assert found is not None, "the record is there"
        return found

    # --- movements ---

    async def rest(self, ref: HolderRef, motion: int, **more: Any) -> RestAnswer:
        """T7."""
        return await self.index.rest(Request(ref=ref, motion=motion, **more))

    async def end(
        self, ref: HolderRef, outcome: Literal["finished", "failed", "cancelled"] = "finished", **more: Any
    ) -> EndAnswer:
        """T4."""
        return await self.index.end(EndHolder(ref=ref, outcome=outcome, **more))

    async def fence(
        self,
        ref: HolderRef,
        path: str = ROOT,
        *,
        resolution: Literal[PauseResolution.WITHDRAWN, PauseResolution.CANCELLED] = PauseResolution.CANCELLED,
        cancel: bool = False,
    ) -> FenceAnswer:
        """T6."""
        return await self.index.fence(Fence(root=ref.root, path=Path(path), resolution=resolution, cancel=cancel))

    # --- looks ---

    async def progress(self, ref: HolderRef, key: StepKey | None = None, *, tenant: TenantId = ACME) -> Progress:
        """The tree, which must be there."""
        found = await self.index.progress(tenant, ref.root, key)
        assert found is not None, "the tree is there"
        return found

    async def seq(self, ref: HolderRef) -> int:
        """How often the tree has changed."""
        return await self.index.changed(ref.root, seen=-1, timeout=0)

    async def events(self) -> list[AnyExecutionEvent]:
        """What the outbox holds, in order."""
        return [waiting.event for waiting in await self.index.undelivered(limit=1_000)]


class Suite(ABC):
    """Base of the suite's parts."""

    @abstractmethod
    async def make(self, clock: Clock) -> PauseIndex:
        """An empty index that takes its times from ``clock``. The suite closes it."""

    @asynccontextmanager
    async def world(self) -> AsyncIterator[World]:
        """A new index for one test."""
        clock = SettableClock()
        index = await self.make(clock)
        try:
            yield World(index, clock)
        finally:
            await index.close()


@contextmanager
def raises(error: type[Exception]) -> Iterator[list[Exception]]:
    """The block must raise ``error``; what it raised is in the list afterwards."""
    caught: list[Exception] = []
    try:
        yield caught
    except error as raised:
        caught.append(raised)
    else:
        raise AssertionError(f"{error.__name__} was not raised")
