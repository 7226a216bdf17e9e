"""The recovery sweep: whatever a crash left half done is brought to its end here."""

import asyncio
import logging
import secrets
from dataclasses import dataclass
from datetime import timedelta

from agboss.declare.context import CancellationSignal
from agboss.domain.ids import HolderId, Path, StepKey
from agboss.domain.pauses import PauseResolution
from agboss.errors import AgbossError, RunTerminatedError, TemporalUnavailableError
from agboss.ports.clock import Clock
from agboss.ports.pause_index import EndHolder, Fence, LiveHolder, PauseIndex
from agboss.temporal import limits
from agboss.temporal.activities.withdraw import Withdraws
from agboss.temporal.failures import to_record
from agboss.temporal.gateway import Gateway, WorkflowState

_log = logging.getLogger("agboss.sweep")
_BATCH = 200


@dataclass(slots=True)
class SweepReport:
    """What one sweep did."""

    leased: bool = False
    """False: another sweeper is at work, and this one did nothing."""
    nudged: int = 0
    ended: int = 0
    """Holders that Temporal no longer has, brought to their end."""
    cancelled: int = 0
    """Cancels that had not reached Temporal."""
    told: int = 0
    """Questions taken back."""
    removed: int = 0
    """Records past retention."""


class Sweep:
    """Nudges, lost holders, lost cancels, owed withdraws and retention, under one lease for all sweepers."""

    def __init__(
        self, index: PauseIndex, gateway: Gateway, withdraws: Withdraws, clock: Clock, *, retention: timedelta
    ) -> None:
        self._index = index
        self._gateway = gateway
        self._withdraws = withdraws
        self._clock = clock
        self._retention = retention
        self._name = secrets.token_hex(8)

    async def run(self, *, every: float) -> None:
        """Sweep every ``every`` seconds of the application's clock, until cancelled."""
        while True:
            await self._clock.sleep(every)
            try:
                await self.once(lease_seconds=2 * every)
            except AgbossError as error:
                # An index or a Temporal that is away is why there is a sweep: the next one goes on.
                _log.warning("the sweep was cut short: %s", error)

    async def once(self, *, lease_seconds: float = 60.0) -> SweepReport:
        """One sweep. Temporal being away stops only what needs Temporal."""
        report = SweepReport()
        if not await self._index.lease("sweep", self._name, seconds=lease_seconds):
            return report
        report.leased = True
        try:
            await self._nudge(report)
            await self._find_lost(report)
        except TemporalUnavailableError as error:
            _log.warning("Temporal is away, the sweep goes on without it: %s", error)
        await self._take_back(report)
        cutoff = self._clock.now() - self._retention
        report.removed = await self._index.delete_resolved_before(cutoff, limit=10_000)
        await self._index.delete_readings_before(cutoff, limit=10_000)
        return report

    async def _nudge(self, report: SweepReport) -> None:
        for nudge in await self._index.due_nudges(limit=_BATCH):
            report.nudged += await self._gateway.look(nudge.workflow_id, nudge.pause_key)

    async def _find_lost(self, report: SweepReport) -> None:
        """Temporal's "unknown" is believed only of holders older than a minute: a start may be under way."""
        after: HolderId | None = None
        old = limits.TAKE_OVER_AFTER.total_seconds()
        while holders := await self._index.live_holders(older_than_seconds=old, limit=_BATCH, after=after):
            for holder in holders:
                state = await self._gateway.state(holder.workflow_id)
                if state is not WorkflowState.RUNNING:
                    await self.end_lost(holder, state)
                    report.ended += 1
                elif holder.fenced and holder.ref.parent is None:
                    report.cancelled += await self._gateway.cancel(holder.workflow_id)
            after = holders[-1].ref.holder

    async def end_lost(self, holder: LiveHolder, state: WorkflowState) -> None:
        """T6 and T4 in the place of a holder that Temporal doesn't have; its questions are told by what follows."""
        await self._index.fence(
            Fence(root=holder.ref.root, path=Path(holder.ref.path), resolution=PauseResolution.CANCELLED)
        )
        await self._index.end(end_of_lost(holder, state))

    async def _take_back(self, report: SweepReport) -> None:
        owed = await self._index.owed_withdraws(limit=_BATCH)
        told = await asyncio.gather(
            *(
                self._withdraws.tell(
                    StepKey(question.step_key),
                    timeout_seconds=question.timeout_seconds,
                    signal=CancellationSignal(),
                    force=True,
                )
                for question in owed
            )
        )
        report.told = sum(told)


def end_of_lost(holder: LiveHolder, state: WorkflowState) -> EndHolder:
    """How a holder ends that Temporal ended, or never had."""
    if holder.fenced and holder.ref.parent is None:
        return EndHolder(ref=holder.ref, outcome="cancelled")
    how = "was ended from outside (terminated, timed out or failed)" if state is WorkflowState.CLOSED else "is not there"
    return EndHolder(
        ref=holder.ref,
        outcome="failed",
        failure=to_record(RunTerminatedError(f"the execution's workflow {how}; its questions were taken back")),
    )
