"""Telling channels how their questions closed, answered or taken back: claimed first, so that each is told once; best effort,
so that nothing else depends on it."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.asks import ChannelAnswered, ChannelWithdrawal, ToolCallApprovalDecision
from agboss.domain.ids import StepKey
from agboss.ports.pause_index import GivenAnswer, PauseIndex, WithdrawClaim
from agboss.temporal import limits
from agboss.temporal.activities.frames import frame_of, question_of
from agboss.temporal.user_code import UserCode

_log = logging.getLogger("agboss.channels")


class Withdraws:
    """Runs ``TakeBack`` steps; the step that sends, and the sweep, use it too."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode) -> None:
        self._index = index
        self._assembled = assembled
        self._user_code = user_code

    async def tell(
        self,
        step_key: StepKey,
        *,
        timeout_seconds: float,
        signal: CancellationSignal,
        attempt: int = 1,
        force: bool = False,
    ) -> bool:
        """Tell the channel if that is owed and nobody else does; whether this call told it.

        ``force``: by the step whose ``send`` has returned. A channel that raises or takes too long is one warning,
        ``channel.withdraw-failed`` or ``channel.answered-failed``, and counts as told (S228). Of several channels each is
        told, and fails, on its own.
        """
        lease = timeout_seconds + limits.WITHDRAW_LEASE_SECONDS
        claim = await self._index.claim_withdraw(step_key, lease_seconds=lease, force=force)
        if claim is None:
            return False
        await self._tell_all(claim, signal, attempt)
        await self._index.withdraw_told(step_key, claim.claim)
        return True

    async def _tell_all(self, claim: WithdrawClaim, signal: CancellationSignal, attempt: int) -> None:
        await asyncio.gather(*(self._tell_one(claim, name, signal, attempt) for name in claim.implementations))

    async def _tell_one(self, claim: WithdrawClaim, name: str, signal: CancellationSignal, attempt: int) -> None:
        code = "channel.withdraw-failed" if claim.answer is None else "channel.answered-failed"
        try:
            channel = self._assembled.channel(name)
            hook: Callable[[Any], Any] | None
            if claim.answer is not None and channel.answered is not None:
                hook, notice = channel.answered, self._answered(claim, claim.answer)
            elif claim.answer is None or claim.answer.is_decided:
                # Another channel decided, and this one has no way to say so: the question is at least no longer asked.
                hook, notice = channel.withdraw, self._withdrawal(claim)
                code = "channel.withdraw-failed"
            else:
                return
            if hook is not None:
                frame = frame_of(
                    claim.frame,
                    execution=claim.execution,
                    node=claim.node,
                    agent=claim.agent,
                    call=claim.call,
                    attempt=attempt,
                    signal=signal,
                )
                await self._user_code.run(hook, notice, frame=frame, timeout=claim.timeout_seconds)
        except Exception as error:
            # The pause's id may be in the channel's own message, so its kind alone is logged.
            _log.warning(
                "%s: %s of channel %r; execution %s, tenant %r",
                code,
                type(error).__name__,
                name,
                claim.execution,
                claim.frame.tenant,
                extra={"code": code, "execution_id": claim.execution, "tenant_id": claim.frame.tenant},
            )

    def _withdrawal(self, claim: WithdrawClaim) -> ChannelWithdrawal[object] | ChannelAnswered[object]:
        return ChannelWithdrawal(
            pause_id=claim.pause_id,
            channel=claim.channel,
            value=question_of(claim.call, self._assembled),
            resolution=claim.resolution,
        )

    def _answered(self, claim: WithdrawClaim, answer: GivenAnswer) -> ChannelWithdrawal[object] | ChannelAnswered[object]:
        return ChannelAnswered(
            pause_id=claim.pause_id,
            channel=claim.channel,
            value=question_of(claim.call, self._assembled),
            decision=ToolCallApprovalDecision.model_validate(answer.masked_decision),
            responder=answer.responder,
            acted_on=answer.acted_on,
        )
