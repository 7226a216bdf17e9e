"""The port over any store that can run a function in a transaction: every shipped store is this class and a way to run."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import Concatenate, ParamSpec, TypeVar

from agboss.domain.executions import PauseEntry
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ContentHash, ExecutionId, HolderId, OwnerId, Path, ReadingId, StepKey, TenantId, ThreadId
from agboss.domain.rests import HolderRef, Owed, RestAnswer, RestRequest
from agboss.ports.pause_index import (
    BeginReading,
    Conversation,
    EndAnswer,
    EndHolder,
    Fence,
    FenceAnswer,
    ListedPause,
    LiveHolder,
    LiveTree,
    Nudge,
    Opened,
    OpenPause,
    OutboxEvent,
    PauseRecord,
    PlannedCall,
    Progress,
    Reading,
    ResolvedPause,
    ResolvePause,
    SentAnswer,
    SentPause,
    SettleReading,
    StartTree,
    Take,
    Turn,
    Wake,
    WakeAnswer,
    WithdrawClaim,
)
from agboss.stores.transactions import journal, pauses, readings, reads, rests, trees, upkeep, withdraws
from agboss.stores.transactions.unit import Unit, micros

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class TransactionalIndex(ABC):
    """See ``PauseIndex`` for what each method does; ``transactions`` has how."""

    @abstractmethod
    async def _write(
        self,
        transaction: Callable[Concatenate[Unit, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """Run in a transaction that is serial with all others, and durable before this returns."""

    @abstractmethod
    async def _read(
        self,
        look: Callable[Concatenate[Unit, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        """Run in a transaction that sees one moment and changes nothing."""

    @abstractmethod
    async def close(self) -> None:
        """Finish what was accepted and release everything."""

    async def start(self, tree: StartTree) -> None:
        await self._write(trees.start, tree)

    async def resolve(self, resolve: ResolvePause) -> ResolvedPause:
        return await self._write(pauses.resolve, resolve)

    async def take(self, ref: HolderRef, step_key: StepKey) -> Take:
        return await self._write(pauses.take, ref, step_key)

    async def settle(self, step_key: StepKey, *, result: str | None, failure: FailureRecord | None = None) -> PlannedCall:
        return await self._write(pauses.settle, step_key, result, failure)

    async def open(self, pause: OpenPause) -> Opened:
        return await self._write(pauses.open, pause)

    async def sent(self, sent: SentPause) -> SentAnswer:
        return await self._write(pauses.sent, sent)

    async def end(self, end: EndHolder) -> EndAnswer:
        return await self._write(trees.end, end)

    async def wake(self, wake: Wake) -> WakeAnswer:
        return await self._write(trees.wake, wake)

    async def fence(self, fence: Fence) -> FenceAnswer:
        return await self._write(trees.fence, fence)

    async def rest(self, request: RestRequest) -> RestAnswer:
        return await self._write(rests.rest, request)

    async def begin_reading(self, begin: BeginReading) -> bool:
        return await self._write(readings.begin, begin)

    async def reading(self, reading: ReadingId) -> Reading | None:
        return await self._read(readings.look, reading)

    async def settle_reading(self, settle: SettleReading) -> Reading | None:
        return await self._write(readings.settle, settle)

    async def drop_reading(self, reading: ReadingId) -> None:
        await self._write(readings.drop, reading)

    async def delete_readings_before(self, cutoff: datetime, *, limit: int) -> int:
        return await self._write(readings.delete_before, micros(cutoff), limit)

    async def conversation(
        self, ref: HolderRef, execution: ExecutionId, node: str, visit: int, *, path: Path, input_from: str | None
    ) -> Conversation:
        return await self._read(journal.conversation, ref, execution, node, visit, path, input_from)

    async def record_turn(self, turn: Turn) -> Turn:
        return await self._write(journal.record_turn, turn)

    async def record_answer(self, turn: Turn, end: EndHolder) -> tuple[Turn, EndAnswer | None]:
        return await self._write(journal.record_answer, turn, end)

    async def claim_withdraw(self, step_key: StepKey, *, lease_seconds: float, force: bool = False) -> WithdrawClaim | None:
        return await self._write(withdraws.claim, step_key, _duration(lease_seconds), force)

    async def withdraw_told(self, step_key: StepKey, claim: int) -> None:
        await self._write(withdraws.told, step_key, claim)

    async def find(self, tenant: TenantId, pause_id: str) -> PauseRecord | None:
        return await self._read(reads.find, tenant, pause_id)

    async def progress(self, tenant: TenantId, root: ExecutionId, step_key: StepKey | None = None) -> Progress | None:
        return await self._read(reads.progress, tenant, root, step_key)

    async def live_tree(self, tenant: TenantId, thread: ThreadId) -> LiveTree | None:
        return await self._read(reads.live_tree, tenant, thread)

    async def thread_owner(self, tenant: TenantId, thread: ThreadId) -> OwnerId | None:
        return await self._read(reads.thread_owner, tenant, thread)

    async def pending(self, tenant: TenantId, *, owner: OwnerId | None = None, limit: int = 100) -> tuple[ListedPause, ...]:
        return await self._read(reads.pending, tenant, owner, limit)

    async def entries(self, tenant: TenantId, root: ExecutionId) -> tuple[PauseEntry, ...]:
        return await self._read(reads.entries, tenant, root)

    async def put_blob(self, content: bytes) -> ContentHash:
        return await self._write(upkeep.put_blob, content)

    async def get_blob(self, name: ContentHash) -> bytes:
        return await self._read(upkeep.get_blob, name)

    async def lease(self, name: str, holder: str, *, seconds: float) -> bool:
        return await self._write(upkeep.lease, name, holder, _duration(seconds))

    async def due_nudges(self, *, limit: int) -> tuple[Nudge, ...]:
        return await self._write(upkeep.due_nudges, limit)

    async def owed_withdraws(self, *, limit: int) -> tuple[Owed, ...]:
        return await self._read(withdraws.owed_everywhere, limit)

    async def live_holders(
        self, *, older_than_seconds: float, limit: int, after: HolderId | None = None
    ) -> tuple[LiveHolder, ...]:
        return await self._read(upkeep.live_holders, _duration(older_than_seconds), limit, after)

    async def delete_resolved_before(self, cutoff: datetime, *, limit: int) -> int:
        return await self._write(upkeep.delete_resolved_before, micros(cutoff), limit)

    async def undelivered(self, *, limit: int) -> tuple[OutboxEvent, ...]:
        return await self._read(upkeep.undelivered, limit)

    async def delivered(self, root: ExecutionId, number: int) -> None:
        await self._write(upkeep.delivered, root, number)


def _duration(seconds: float) -> int:
    return round(seconds * 1_000_000)
