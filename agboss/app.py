"""The facade: execute, resume, cancel and pending of a connected application."""

import logging
import secrets
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, overload

from pydantic import BaseModel

from agboss.assembly.answers import answer_of
from agboss.assembly.assembled import Assembled
from agboss.decisions.keys import workflow_id
from agboss.declare.context import is_sending
from agboss.domain.executions import CancelResult, ExecutionRecord, ExecutionResult, ExecutionStatus
from agboss.domain.ids import ROOT, ExecutionId, OwnerId, TenantId, ThreadId
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.errors import (
    NotPausedError,
    OwnerRequiredError,
    PauseAnswererError,
    ResumeInsideSendError,
    RunCancelledError,
    TemporalUnavailableError,
    ThreadOwnerError,
    UnknownPauseError,
)
from agboss.ports.clock import Clock
from agboss.ports.pause_index import (
    Fence,
    ListedPause,
    PauseIndex,
    PauseRecord,
    Progress,
    ResolvePause,
    StartTree,
)
from agboss.recovery.sweep import Sweep, SweepReport
from agboss.replies import Replies, check_request_id
from agboss.requests import check_credential, check_request, named, plain_fields, responder_of, started_with
from agboss.starting import Starter
from agboss.temporal.failures import to_error
from agboss.temporal.gateway import Gateway
from agboss.waiting import wait_for_tree

_log = logging.getLogger("agboss.app")


class App:
    """A connected application. Made by ``Application.connect``; safe for many tasks at once."""

    def __init__(self, assembled: Assembled, index: PauseIndex, gateway: Gateway, sweep: Sweep, clock: Clock) -> None:
        self._assembled = assembled
        self._index = index
        self._gateway = gateway
        self._sweep = sweep
        self._replies = Replies(index, gateway, assembled)
        self._starter = Starter(index, gateway, sweep, clock)

    # --- execute ---

    async def execute(
        self,
        workflow: type[Any] | str,
        input: BaseModel | Mapping[str, Any],
        *,
        thread_id: str | None = None,
        tenant_id: str | None = None,
        owner_id: str | None = None,
        fields: Mapping[str, Any] | None = None,
        wait: bool = True,
        timeout: timedelta | None = None,
        record: bool = False,
    ) -> ExecutionResult[Any]:
        """Run a flow until it rests or ends.

        Args:
            workflow: the flow's class, or its name.
            input: the flow's start.
            thread_id: the conversation; executions of one thread run one after another. ``None``: a new one.
            tenant_id: ``None``: the application's ``default_tenant``.
            owner_id: whom the thread belongs to; needed where the flow can ask the thread's owner.
            fields: the project's own fields of the ``ExecutionContext``; plain JSON data.
            wait: False returns as soon as Temporal has the execution.
            timeout: of the wait, not of the execution.
            record: give the execution's record as well.

        Raises:
            DtoValidationError: the input or a name is not valid.
            OwnerRequiredError: the flow can ask the thread's owner, and there is none (R15).
            ThreadOwnerError: the thread belongs to another owner.
            ThreadBusyError: an execution of the thread moves or waits.
            TemporalUnavailableError: nothing was started.
            WaitTimeoutError: the execution goes on; ``data`` names it.
            RunCancelledError: it was cancelled.
            AgbossError: what the flow failed with, with its own class and causes.
        """
        tenant = self._tenant(tenant_id)
        owner = None if owner_id is None else OwnerId(named("owner_id", owner_id))
        thread = ThreadId(named("thread_id", thread_id) if thread_id is not None else secrets.token_hex(8))
        flow = self._assembled.flow(workflow)
        start = started_with(flow, input)
        own_fields = plain_fields(fields)
        if flow.reaches_owner and owner is None:
            raise OwnerRequiredError(
                f"workflow {flow.plan.workflow!r} can ask the thread's owner for a decision; give owner_id",
                workflow=flow.plan.workflow,
            )
        root = ExecutionId(secrets.token_hex(16))
        tree = StartTree(
            root=root,
            tenant=tenant,
            thread=thread,
            owner=owner,
            workflow=flow.plan.workflow,
            workflow_id=workflow_id(self._assembled.name, tenant, thread, root),
            plan=flow.plan_bytes,
            plan_hash=flow.plan_hash,
            input=start,
            fields=own_fields,
        )
        await self._starter.start(tree, flow)
        if not wait:
            return ExecutionResult(status=ExecutionStatus.RUNNING, thread_id=thread, execution_id=root)
        progress = await wait_for_tree(self._index, tenant, root, after_rest=0, timeout=timeout)
        return await self._result(progress, record=record)

    # --- resume ---

    @overload
    async def resume(
        self,
        pause_id: str,
        *,
        decision: Mapping[str, Any] | BaseModel,
        owner_id: str,
        tenant_id: str | None = None,
        wait: bool = True,
        timeout: timedelta | None = None,
        record: bool = False,
    ) -> ExecutionResult[Any]: ...

    @overload
    async def resume(
        self,
        pause_id: str,
        *,
        decision: Mapping[str, Any] | BaseModel,
        answered_by: str,
        tenant_id: str | None = None,
        wait: bool = True,
        timeout: timedelta | None = None,
        record: bool = False,
    ) -> ExecutionResult[Any]: ...

    @overload
    async def resume(
        self,
        pause_id: str,
        *,
        reply: str,
        owner_id: str,
        request_id: str | None = None,
        tenant_id: str | None = None,
        wait: bool = True,
        timeout: timedelta | None = None,
        record: bool = False,
    ) -> ExecutionResult[Any]: ...

    @overload
    async def resume(
        self,
        pause_id: str,
        *,
        reply: str,
        answered_by: str,
        request_id: str | None = None,
        tenant_id: str | None = None,
        wait: bool = True,
        timeout: timedelta | None = None,
        record: bool = False,
    ) -> ExecutionResult[Any]: ...

    async def resume(
        self,
        pause_id: str,
        *,
        decision: Mapping[str, Any] | BaseModel | None = None,
        reply: str | None = None,
        owner_id: str | None = None,
        answered_by: str | None = None,
        request_id: str | None = None,
        tenant_id: str | None = None,
        wait: bool = True,
        timeout: timedelta | None = None,
        record: bool = False,
    ) -> ExecutionResult[Any]:
        """Answer a pause by its id, with exactly one of ``decision`` and ``reply``, as exactly one of ``owner_id`` and
        ``answered_by``. An earlier check's error wins: the request's shape, the look-up, the credential, the status, the
        decision (R01).

        Args:
            pause_id: as the channel was given it, or as ``result.pending`` lists it.
            decision: ``approved``, and with it ``reason`` or ``override_arguments``; of a question role its answer.
            reply: free text, for a role with a reply interpreter, which reads it on a worker before anything is recorded.
            owner_id: the thread's owner, for a THREAD_OWNER pause.
            answered_by: who answered on the channel's side, for a CHANNEL pause.
            request_id: of a reply: names the message (a Slack event's id, a mail's), so that one passed twice is read once.
            tenant_id: ``None``: the application's ``default_tenant``.
            wait: False returns once the decision is recorded; True at the tree's next rest or end.
            timeout: of the wait; the decision stays recorded, and a reply goes on being read.
            record: give the execution's record as well.

        Raises:
            DtoValidationError: the request or the decision is not valid; the pause keeps waiting.
            PauseAnswererError: the wrong credential, both or neither; the pause keeps waiting.
            ResumeInsideSendError: ``wait=True`` inside a channel's ``send`` (R11).
            UnknownPauseError: the tenant has no such pause.
            ThreadOwnerError: another owner than the thread's.
            FourEyesError: the role wants another person than the thread's owner.
            NotPausedError: answered, withdrawn or cancelled already.
            ReplyInterpreterMissingError: a reply, and the role can't read one.
            UninterpretableReplyError: the reply is no valid answer; the pause keeps waiting.
            TemporalUnavailableError: a reply can't be read now; the pause keeps waiting.
            WaitTimeoutError: the decision is recorded, or the reply is being read; the wait is over.
        """
        check_request(decision, reply)
        check_request_id(request_id)
        responder = responder_of(owner_id, answered_by)
        tenant = self._tenant(tenant_id)
        if wait and is_sending():
            raise ResumeInsideSendError("resume(wait=True) inside a channel's send would wait for itself; use wait=False")
        if not isinstance(pause_id, str):
            raise UnknownPauseError
        pause = await self._index.find(tenant, pause_id)
        if pause is None:
            raise UnknownPauseError
        check_credential(pause, responder)
        if pause.status is not PauseStatus.PENDING:
            raise NotPausedError
        deadline = None if timeout is None else time.monotonic() + timeout.total_seconds()
        if reply is not None:
            resolved, delivered = await self._replies.read(pause, reply, responder, request_id=request_id, timeout=timeout)
        else:
            plain = decision.model_dump(mode="json", exclude_unset=True) if isinstance(decision, BaseModel) else decision
            asked = pause.arguments
            answer = answer_of(plain, responder=responder, tool=pause.tool, asked=asked, assembled=self._assembled)
            resolved = await self._index.resolve(ResolvePause(tenant=tenant, step_key=pause.step_key, answer=answer))
            delivered = await self._tell(pause)
        if not wait:
            return ExecutionResult(
                status=ExecutionStatus.RUNNING,
                thread_id=pause.thread,
                execution_id=resolved.root,
                delivered=delivered,
            )
        left = None if deadline is None else timedelta(seconds=max(0.0, deadline - time.monotonic()))
        progress = await wait_for_tree(
            self._index, tenant, resolved.root, after_rest=resolved.rest_no, step_key=pause.step_key, timeout=left
        )
        return await self._result(progress, record=record, delivered=delivered)

    async def _tell(self, pause: PauseRecord) -> bool:
        """Signal the holder. The answer is recorded, so a Temporal that is away is no error: the sweep delivers it."""
        try:
            await self._gateway.look(pause.workflow_id, pause.pause_key)
        except TemporalUnavailableError as error:
            _log.warning("an answer is recorded and will be delivered by the sweep: %s", error)
            return False
        return True

    # --- cancel, lists ---

    async def cancel(
        self,
        thread_id: str,
        *,
        tenant_id: str | None = None,
        owner_id: str | None = None,
        cancelled_by: str | None = None,
    ) -> CancelResult:
        """Cancel what moves or waits on a thread, and take its questions back (S061, S063).

        Args:
            thread_id: the conversation.
            tenant_id: ``None``: the application's ``default_tenant``.
            owner_id: the thread's owner; on an owned thread this or ``cancelled_by`` (R26).
            cancelled_by: an operator's name, recorded.

        Raises:
            DtoValidationError: a name is not valid.
            PauseAnswererError: both credentials, or neither on an owned thread.
            ThreadOwnerError: another owner than the thread's.
        """
        tenant = self._tenant(tenant_id)
        thread = ThreadId(named("thread_id", thread_id))
        if owner_id is not None and cancelled_by is not None:
            raise PauseAnswererError("give owner_id or cancelled_by, not both")
        if cancelled_by is not None:
            named("cancelled_by", cancelled_by)
        owner = await self._index.thread_owner(tenant, thread)
        if owner_id is not None and owner_id != owner:
            raise ThreadOwnerError
        if owner is not None and owner_id is None and cancelled_by is None:
            raise PauseAnswererError("the thread has an owner: give owner_id, or cancelled_by for an operator")
        live = await self._index.live_tree(tenant, thread)
        if live is None:
            return CancelResult(cancelled=False)
        fenced = await self._index.fence(
            Fence(
                root=live.root,
                path=ROOT,
                resolution=PauseResolution.CANCELLED,
                cancel=True,
                cancelled_by=cancelled_by or owner_id,
            )
        )
        if fenced.applied:
            try:
                await self._gateway.cancel(live.workflow_id)
            except TemporalUnavailableError as error:
                _log.warning("a cancel is recorded and will be delivered by the sweep: %s", error)
        return CancelResult(cancelled=fenced.applied)

    async def pending(
        self, *, tenant_id: str | None = None, owner_id: str | None = None, limit: int = 100
    ) -> tuple[ListedPause, ...]:
        """A tenant's waiting pauses, oldest first, without loading any execution.

        Ids of THREAD_OWNER pauses appear only in their owner's view, with ``owner_id`` (R32); those of CHANNEL pauses
        never.
        """
        owner = None if owner_id is None else OwnerId(named("owner_id", owner_id))
        return await self._index.pending(self._tenant(tenant_id), owner=owner, limit=limit)

    async def execution(
        self, execution_id: str, *, tenant_id: str | None = None, record: bool = False
    ) -> ExecutionResult[Any] | None:
        """Where a root execution stands now; ``None`` where the tenant has none of that id.

        Raises:
            AgbossError: what it failed with, as ``execute`` would.
        """
        progress = await self._index.progress(self._tenant(tenant_id), ExecutionId(execution_id))
        return None if progress is None else await self._result(progress, record=record)

    async def sweep(self) -> SweepReport:
        """Run the recovery sweep once, now."""
        return await self._sweep.once()

    # --- results ---

    async def _result(self, progress: Progress, *, record: bool, delivered: bool = True) -> ExecutionResult[Any]:
        frame = progress.frame
        if progress.outcome == "failed" and progress.failure is not None:
            raise to_error(progress.failure)
        if progress.outcome == "cancelled":
            raise RunCancelledError(f"execution {frame.root} was cancelled", execution_id=frame.root, thread_id=frame.thread)
        output: Any = None
        status = ExecutionStatus.RUNNING
        if progress.outcome == "finished":
            status = ExecutionStatus.FINISHED
            output = self._assembled.flow(frame.workflow).finish_model.model_validate(progress.output)
        elif progress.at_rest and progress.pending:
            status = ExecutionStatus.PAUSED
        history = None
        if record:
            history = ExecutionRecord(pauses=list(await self._index.entries(frame.tenant, frame.root)))
        return ExecutionResult(
            status=status,
            thread_id=frame.thread,
            execution_id=frame.root,
            output=output,
            pending=list(progress.pending) if status is ExecutionStatus.PAUSED else [],
            record=history,
            delivered=delivered,
        )

    def _tenant(self, tenant_id: str | None) -> TenantId:
        return TenantId(self._assembled.default_tenant if tenant_id is None else named("tenant_id", tenant_id))
