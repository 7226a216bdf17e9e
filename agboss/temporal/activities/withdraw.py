"""Taking a question back: claimed first, so that it is told once; best effort, so that nothing else depends on it."""

import logging

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.asks import ChannelWithdrawal
from agboss.domain.ids import StepKey
from agboss.ports.pause_index import PauseIndex, WithdrawClaim
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
        ``channel.withdraw-failed``, and counts as told (S228).
        """
        lease = timeout_seconds + limits.WITHDRAW_LEASE_SECONDS
        claim = await self._index.claim_withdraw(step_key, lease_seconds=lease, force=force)
        if claim is None:
            return False
        try:
            await self._withdraw(claim, signal, attempt)
        except Exception as error:
            # The pause's id may be in the channel's own message, so its kind alone is logged.
            _log.warning(
                "channel.withdraw-failed: %s of channel %r; execution %s, tenant %r",
                type(error).__name__,
                claim.implementation,
                claim.execution,
                claim.frame.tenant,
                extra={
                    "code": "channel.withdraw-failed",
                    "execution_id": claim.execution,
                    "tenant_id": claim.frame.tenant,
                },
            )
        await self._index.withdraw_told(step_key, claim.claim)
        return True

    async def _withdraw(self, claim: WithdrawClaim, signal: CancellationSignal, attempt: int) -> None:
        call = claim.call
        channel = self._assembled.channel(claim.implementation)
        withdrawal: ChannelWithdrawal[object] = ChannelWithdrawal(
            pause_id=claim.pause_id,
            channel=claim.channel,
            value=question_of(call, self._assembled),
            resolution=claim.resolution,
        )
        frame = frame_of(
            claim.frame,
            execution=claim.execution,
            node=claim.node,
            agent=claim.agent,
            call=call,
            attempt=attempt,
            signal=signal,
        )
        if channel.withdraw is not None:
            await self._user_code.run(channel.withdraw, withdrawal, frame=frame, timeout=claim.timeout_seconds)
