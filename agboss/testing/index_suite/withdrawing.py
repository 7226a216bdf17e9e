"""Taking questions back: claims, leases, told."""

import asyncio

from agboss.domain.pauses import PauseResolution
from agboss.testing.index_suite.world import ACME, Suite


class Withdrawing(Suite):
    """Told once, by one."""

    async def test_one_of_many_claims(self) -> None:
        """S222, R05: of ten that want to tell at once one may; it has all it needs to tell with the asked values."""
        async with self.world() as w:
            asked = await w.asked()
            await w.fence(asked.ref, "support-agent.0", resolution=PauseResolution.WITHDRAWN)
            claims = await asyncio.gather(*(w.index.claim_withdraw(asked.key, lease_seconds=60) for _ in range(10)))
            (claim,) = [claim for claim in claims if claim is not None]
            assert claim.pause_id == asked.pause_id and claim.resolution is PauseResolution.WITHDRAWN
            assert claim.call.arguments == {"amount": 10} and claim.frame.tenant == ACME
            assert (claim.node, claim.agent, claim.execution) == ("support-agent", "support-agent", "root")
            assert claim.channel == "refund-approval-channel" and claim.implementation == "slack-refund-approval-channel"

    async def test_told_is_the_end_of_it(self) -> None:
        """S222: after it was told nobody owes it any more."""
        async with self.world() as w:
            asked = await w.asked()
            await w.end(asked.ref, "failed")
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.resolution is PauseResolution.CANCELLED
            await w.index.withdraw_told(asked.key, claim.claim)
            w.clock.advance(3_600)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60, force=True) is None
            assert await w.index.owed_withdraws(limit=10) == ()

    async def test_a_claim_is_a_lease(self) -> None:
        """R05: when its time is over another may tell, under the same pause id; the first one's mark counts no more."""
        async with self.world() as w:
            asked = await w.asked()
            await w.end(asked.ref, "failed")
            first = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            w.clock.advance(59.999)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60, force=True) is None
            assert await w.index.owed_withdraws(limit=10) == ()
            w.clock.advance(0.001)
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=10)] == [asked.key]
            second = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert first is not None and second is not None and first.pause_id == second.pause_id
            await w.index.withdraw_told(asked.key, first.claim)
            w.clock.advance(60)
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=10)] == [asked.key]
            third = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert third is not None
            await w.index.withdraw_told(asked.key, third.claim)
            assert await w.index.owed_withdraws(limit=10) == ()

    async def test_an_answered_question_is_never_told(self) -> None:
        """S216: neither while the answer waits, nor after it was taken, nor where it was overtaken."""
        async with self.world() as w:
            answered, taken = await w.asked("r1"), await w.asked("r2")
            for asked in (answered, taken):
                await w.resolve(asked)
            await w.taken(taken)
            for asked in (answered, taken):
                assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None
                await w.end(asked.ref, "failed")
                assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None

    async def test_a_waiting_question_is_not_told(self) -> None:
        """S215: only a closed question is taken back."""
        async with self.world() as w:
            asked = await w.asked()
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None

    async def test_those_that_wait_for_their_send_hide_nobody(self) -> None:
        """S230: the sweep's page is filled with what can be told, also where older ones can't be yet."""
        async with self.world() as w:
            ref = await w.start("r1")
            for key in await w.turn(ref, *({"amount": n} for n in range(5))):
                await w.opened(ref, key)
            await w.end(ref, "failed")
            w.clock.advance(1)
            asked = await w.asked("r2")
            await w.end(asked.ref, "failed")
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=2)] == [asked.key]
