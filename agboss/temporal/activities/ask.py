"""Putting a question to its channel: open the record, send, say what became of it. One activity, three commits."""

import logging
from typing import Literal

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.pauses import PauseStatus
from agboss.errors import AgbossError, SendSupersededError
from agboss.ports.pause_index import OpenFound, OpenPause, OpenRefused, OpenSend, PauseIndex
from agboss.temporal.activities.send import Sends
from agboss.temporal.activities.withdraw import Withdraws
from agboss.temporal.failures import to_error
from agboss.temporal.user_code import UserCode
from agboss.temporal.wire import Ask, AskResult

_log = logging.getLogger("agboss.channels")


class Asks:
    """Runs ``Ask`` steps."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode, withdraws: Withdraws) -> None:
        self._index = index
        self._sends = Sends(assembled, user_code)
        self._withdraws = withdraws

    async def run(self, step: Ask, *, attempt: int, signal: CancellationSignal) -> AskResult:
        """Raises: what the channel's ``send`` raised; it fails the agent's step (S196)."""
        opened = await self._index.open(
            OpenPause(
                ref=step.ref,
                execution=step.execution,
                workflow_id=step.workflow_id,
                step_key=step.step_key,
                channel=step.channel.name,
                implementation=step.channel.implementation,
                answered_by=step.channel.answered_by,
                four_eyes=step.channel.four_eyes,
                timeout_seconds=step.timeout_seconds,
                answer_schema=step.channel.answer_schema,
                implementations=step.channel.asked if len(step.channel.asked) > 1 else (),
                tells_answers=step.channel.tells_answers,
            )
        )
        match opened:
            case OpenRefused():
                # An attempt before this one may have been seen; its worker is gone, so this one tells (R23).
                await self._tell(step)
                return AskResult(outcome="refused")
            case OpenFound(status=status, failed_send=failed_send, failure=failure, owed=owed):
                if status is PauseStatus.CANCELLED:
                    await self._tell(step)
                if failed_send:
                    raise to_error(failure) if failure else AgbossError("the channel's send had failed")
                return AskResult(outcome=_said(status), status=status, owed=owed)
            case OpenSend():
                return await self._send(step, opened, signal)

    async def _send(self, step: Ask, opened: OpenSend, signal: CancellationSignal) -> AskResult:
        sent, error = await self._sends.outcome(step, opened, signal)
        stands = await self._index.sent(sent)
        if stands.ignored and sent.outcome != "sent":
            _log.warning(
                "channel.send-too-late: channel %r %s after the pause was %s; execution %s, tenant %r",
                step.channel.implementation,
                sent.outcome,
                stands.status.value,
                step.execution,
                opened.frame.tenant,
                extra={
                    "code": "channel.send-too-late",
                    "execution_id": step.execution,
                    "tenant_id": opened.frame.tenant,
                },
            )
        if stands.superseded:
            raise SendSupersededError(
                f"channel {step.channel.implementation!r}: send failed while another attempt was under way; it is tried again"
            ) from error
        if stands.status is PauseStatus.CANCELLED:
            await self._tell(step)
        if stands.failed_send and error is not None:
            raise error
        return AskResult(outcome=_said(stands.status), status=stands.status, owed=stands.owed, rest=stands.rest)

    async def _tell(self, step: Ask) -> None:
        # A signal of its own: that of the send may be set already, and says nothing of this call.
        await self._withdraws.tell(
            step.step_key, timeout_seconds=step.timeout_seconds, signal=CancellationSignal(), force=True
        )


def _said(status: PauseStatus) -> Literal["pending", "answered", "refused"]:
    match status:
        case PauseStatus.PENDING:
            return "pending"
        case PauseStatus.RESOLVED | PauseStatus.TAKEN:
            return "answered"
        case PauseStatus.CANCELLED:
            return "refused"
