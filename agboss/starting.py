"""Starting an execution: its tree in the index first, then its workflow in Temporal (protocol, T0)."""

from agboss.assembly.bindings import CompiledFlow
from agboss.domain.ids import HolderId, TenantId, ThreadId
from agboss.domain.rests import HolderRef
from agboss.errors import TemporalUnavailableError, ThreadBusyError
from agboss.ports.clock import Clock
from agboss.ports.pause_index import EndHolder, LiveHolder, PauseIndex, StartTree
from agboss.recovery.sweep import Sweep
from agboss.temporal import limits
from agboss.temporal.failures import to_record
from agboss.temporal.gateway import Gateway, WorkflowState
from agboss.temporal.wire import ExecutionInput, RunLimits


class Starter:
    """Starts executions. ``run_limits`` travel in each one's input."""

    def __init__(self, index: PauseIndex, gateway: Gateway, sweep: Sweep, clock: Clock) -> None:
        self._index = index
        self._gateway = gateway
        self._sweep = sweep
        self._clock = clock
        self.run_limits = RunLimits()

    async def start(self, tree: StartTree, flow: CompiledFlow) -> None:
        """Start it.

        Raises:
            ThreadBusyError: an execution of the thread moves or waits.
            ThreadOwnerError: the thread belongs to another owner.
            TemporalUnavailableError: nothing runs, and the thread is free.
        """
        try:
            await self._index.start(tree)
        except ThreadBusyError:
            if not await self._took_over(tree.tenant, tree.thread):
                raise
            await self._index.start(tree)
        ref = HolderRef(root=tree.root, holder=HolderId(tree.root))
        input = ExecutionInput(
            ref=ref,
            execution=tree.root,
            tenant=tree.tenant,
            thread=tree.thread,
            plan=flow.plan,
            plan_hash=flow.plan_hash,
            limits=self.run_limits,
        )
        try:
            await self._gateway.start(tree.workflow, tree.workflow_id, input)
        except TemporalUnavailableError as error:
            # The start may have arrived all the same: the root's first transaction refuses on a tree that isn't live.
            await self._index.end(EndHolder(ref=ref, outcome="failed", failure=to_record(error)))
            raise

    async def _took_over(self, tenant: TenantId, thread: ThreadId) -> bool:
        """Whether the thread's live tree was one that a crash left without a workflow, and has been ended."""
        live = await self._index.live_tree(tenant, thread)
        if live is None:
            return True
        if self._clock.now() - live.started_at < limits.TAKE_OVER_AFTER:
            return False
        state = await self._gateway.state(live.workflow_id)
        if state is not WorkflowState.UNKNOWN:
            return False
        ref = HolderRef(root=live.root, holder=HolderId(live.root))
        lost = LiveHolder(ref=ref, workflow_id=live.workflow_id, since=live.started_at, fenced=live.fenced)
        await self._sweep.end_lost(lost, state)
        return True
