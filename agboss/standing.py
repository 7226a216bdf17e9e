"""Where executions stand, told as values: for callers behind a wire, who can't be given an exception, and whose lost response
looks like one that never came (R28)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from agboss.assembly.answers import answer_of
from agboss.assembly.assembled import Assembled
from agboss.domain.executions import ExecutionStatus
from agboss.domain.ids import ExecutionId, StepKey, TenantId
from agboss.domain.pauses import PauseStatus, PendingPause
from agboss.errors import DtoValidationError, UnknownExecutionError, UnknownPauseError
from agboss.ports.pause_index import PauseIndex, Progress
from agboss.requests import named, responder_of
from agboss.waiting import wait_for_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """Where a root execution stands, also when it failed."""

    status: ExecutionStatus
    thread_id: str
    execution_id: str
    output: dict[str, Any] | None
    pending: tuple[PendingPause, ...]
    """With the ids of THREAD_OWNER pauses: for the thread's owner alone (R32)."""
    failure_code: str | None
    failure: str | None
    """What it failed with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """An answer that is in the index."""

    thread_id: str
    execution_id: str
    step_key: StepKey
    taken: bool
    """Its step has taken it, or it never will."""


class Standing:
    """Looks at executions and recorded answers."""

    def __init__(self, index: PauseIndex, assembled: Assembled) -> None:
        self._index = index
        self._assembled = assembled

    async def now(self, tenant_id: str, execution_id: str) -> Stand:
        """Where the execution stands now.

        Raises:
            DtoValidationError: the tenant's name is none.
            UnknownExecutionError: the tenant has none of that id.
        """
        tenant = TenantId(named("tenant_id", tenant_id))
        progress = await self._index.progress(tenant, ExecutionId(execution_id))
        if progress is None:
            raise UnknownExecutionError
        return _stand(progress)

    async def at_rest(
        self, tenant_id: str, execution_id: str, *, step_key: StepKey | None = None, timeout: timedelta
    ) -> Stand:
        """Where it stands at its next rest, with the answer to ``step_key`` taken, or at its end.

        Raises:
            WaitTimeoutError: nothing is lost, the execution goes on.
        """
        tenant, root = TenantId(tenant_id), ExecutionId(execution_id)
        # An answered tree is at rest until its answer is taken, and an untaken answer is waited for.
        return _stand(await wait_for_tree(self._index, tenant, root, after_rest=0, step_key=step_key, timeout=timeout))

    async def recorded(self, tenant_id: str, pause_id: str) -> Recorded:
        """The answer that was just recorded under this id.

        Raises:
            UnknownPauseError: the tenant has no such pause.
        """
        pause = await self._index.find(TenantId(tenant_id), pause_id)
        if pause is None:
            raise UnknownPauseError
        return Recorded(
            thread_id=pause.thread,
            execution_id=pause.root,
            step_key=pause.step_key,
            taken=pause.status is not PauseStatus.RESOLVED,
        )

    async def repeated(
        self,
        tenant_id: str,
        pause_id: str,
        *,
        decision: Mapping[str, Any] | None,
        owner_id: str | None,
        answered_by: str | None,
    ) -> Recorded | None:
        """The recorded answer, where it is this very one: the same decision by the same responder (R28)."""
        pause = await self._index.find(TenantId(tenant_id), pause_id)
        if decision is None or pause is None or pause.answer is None:
            return None
        responder = responder_of(owner_id, answered_by)
        if pause.answer.responder != responder:
            return None
        try:
            asked = pause.arguments
            answer = answer_of(decision, responder=responder, tool=pause.tool, asked=asked, assembled=self._assembled)
        except DtoValidationError:
            return None
        return await self.recorded(tenant_id, pause_id) if answer.decision == pause.answer.decision else None


def _stand(progress: Progress) -> Stand:
    failure = progress.failure if progress.outcome == "failed" else None
    status = ExecutionStatus.PAUSED if progress.at_rest and progress.pending else ExecutionStatus.RUNNING
    if progress.outcome is not None:
        status = ExecutionStatus(progress.outcome)
    return Stand(
        status=status,
        thread_id=progress.frame.thread,
        execution_id=progress.frame.root,
        output=progress.output if status is ExecutionStatus.FINISHED else None,
        pending=progress.pending if status is ExecutionStatus.PAUSED else (),
        failure_code=None if failure is None else failure.code or "step",
        failure=None if failure is None else failure.message,
    )
