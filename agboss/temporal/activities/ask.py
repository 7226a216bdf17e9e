"""Putting a question to its channel: open the record, send, say what became of it. One activity, three commits."""

import logging
from typing import Any, Literal

from pydantic import BaseModel

from agboss.assembly.answers import answer_of
from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.asks import ChannelAsk
from agboss.domain.outcomes import AwaitReply, Decided
from agboss.domain.pauses import PauseStatus
from agboss.errors import AgbossError, DtoValidationError, SendSupersededError
from agboss.ports.pause_index import (
    Answer,
    OpenFound,
    OpenPause,
    OpenRefused,
    OpenSend,
    PauseIndex,
    SentPause,
)
from agboss.temporal.activities.frames import frame_of, question_of
from agboss.temporal.activities.withdraw import Withdraws
from agboss.temporal.failures import to_error, to_record
from agboss.temporal.user_code import UserCode, UserCodeTimeout
from agboss.temporal.wire import Ask, AskResult

_log = logging.getLogger("agboss.channels")


class Asks:
    """Runs ``Ask`` steps."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode, withdraws: Withdraws) -> None:
        self._index = index
        self._assembled = assembled
        self._user_code = user_code
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
            )
        )
        match opened:
            case OpenRefused():
                # An attempt before this one may have been seen; its worker is gone, so this one tells (R23).
                await self._tell(step)
                return AskResult(outcome="refused")
            case OpenFound(status=status, failed_send=failed_send, failure=failure):
                if status is PauseStatus.CANCELLED:
                    await self._tell(step)
                if failed_send:
                    raise to_error(failure) if failure else AgbossError("the channel's send had failed")
                return AskResult(outcome=_said(status), status=status)
            case OpenSend():
                return await self._send(step, opened, signal)

    async def _send(self, step: Ask, opened: OpenSend, signal: CancellationSignal) -> AskResult:
        sent, error = await self._outcome(step, opened, signal)
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
        return AskResult(outcome=_said(stands.status), status=stands.status, rest=stands.rest)

    async def _outcome(self, step: Ask, opened: OpenSend, signal: CancellationSignal) -> tuple[SentPause, Exception | None]:
        """What ``send`` came to, and the error it fails the step with."""
        unclear = False
        error: Exception | None = None
        answer: Answer | None = None
        try:
            outcome = await self._called(step, opened, signal)
            answer = self._answer(step, opened, outcome)
        except UserCodeTimeout as timeout:
            # The question may have been seen all the same, so it must be taken back (R34).
            unclear, error = True, timeout
        except Exception as raised:
            error = raised
        sent = SentPause(
            ref=step.ref,
            step_key=step.step_key,
            attempt=opened.attempt,
            outcome="failed" if error else "decided" if answer else "sent",
            answer=answer,
            failure=None if error is None else to_record(error),
            unclear=unclear,
            rest=step.rest,
        )
        return sent, error

    async def _called(self, step: Ask, opened: OpenSend, signal: CancellationSignal) -> Any:
        call = opened.call
        ask: ChannelAsk[object] = ChannelAsk(
            pause_id=opened.pause_id,
            channel=step.channel.name,
            value=question_of(call, self._assembled),
        )
        frame = frame_of(
            opened.frame,
            execution=step.execution,
            node=opened.node,
            agent=step.agent,
            call=call,
            attempt=opened.attempt,
            signal=signal,
            sending=True,
        )
        channel = self._assembled.channel(step.channel.implementation)
        return await self._user_code.run(channel.send, ask, frame=frame, timeout=step.timeout_seconds)

    def _answer(self, step: Ask, opened: OpenSend, outcome: Any) -> Answer | None:
        """``None``: await the reply.

        Raises:
            DtoValidationError: the channel decided something invalid, or returned no outcome (S054, R25).
        """
        match outcome:
            case AwaitReply():
                return None
            case Decided(decision=decision):
                raw = decision.model_dump(mode="json", exclude_unset=True) if isinstance(decision, BaseModel) else decision
                return answer_of(raw, responder=None, tool=step.tool, asked=opened.call.arguments, assembled=self._assembled)
        raise DtoValidationError(
            f"channel {step.channel.implementation!r}: send returned a {type(outcome).__name__}; return "
            "ChannelOutcome.await_reply() or ChannelOutcome.decided(…)"
        )

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
