"""Telling channels of answers: owed where the record says so, by the same claims and leases as taking back; and whom to tell
where several channels were asked."""

import asyncio
from typing import Any

from agboss.domain.ids import ExecutionId, WorkflowId
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.domain.rests import HolderRef
from agboss.ports.pause_index import OpenFound, OpenPause, OpenSend, TakeRefused
from agboss.testing.index_suite.world import TIMEOUT_SECONDS, Asked, Suite, World

BOTH = ("slack-refund-approval-channel", "mail-refund-approval-channel")
SLACK, MAIL = BOTH


class Hearing(Suite):
    """Answered, and told so."""

    async def test_an_answer_is_owed_to_a_channel_that_hears_answers(self) -> None:
        """F02: recorded with the answer, claimed by one of ten; with the masked decision and who gave it. Not acted on yet."""
        async with self.world() as w:
            asked = await _asked(w)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60, force=True) is None
            await w.resolve(asked, approved=False, reason="too much")
            (owed,) = await w.index.owed_withdraws(limit=10)
            assert (owed.step_key, owed.kind, owed.implementation) == (asked.key, "answered", SLACK)
            claims = await asyncio.gather(*(w.index.claim_withdraw(asked.key, lease_seconds=60) for _ in range(10)))
            (claim,) = [claim for claim in claims if claim is not None]
            assert (claim.pause_id, claim.implementations) == (asked.pause_id, (SLACK,))
            assert claim.answer is not None
            # The suite's masked decision has no reason: what is told is the masked one.
            assert claim.answer.masked_decision == {"approved": False}
            assert (claim.answer.responder, claim.answer.is_decided, claim.answer.acted_on) == ("manager-17", False, None)
            await w.index.withdraw_told(asked.key, claim.claim)
            w.clock.advance(3_600)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60, force=True) is None
            assert await w.index.owed_withdraws(limit=10) == ()

    async def test_a_taken_answer_is_still_owed(self) -> None:
        """F02: whether the step took it first makes no difference but in what is told: it was acted on."""
        async with self.world() as w:
            asked = await _asked(w)
            await w.resolve(asked)
            await w.taken(asked)
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.answer is not None and claim.answer.acted_on is True

    async def test_an_overtaken_answer_is_told_as_one(self) -> None:
        """R03: the fence that overtook the answer leaves it to be told, as an answer that nobody acted on."""
        async with self.world() as w:
            asked = await _asked(w)
            await w.resolve(asked)
            fenced = await w.fence(asked.ref, "support-agent.0", resolution=PauseResolution.WITHDRAWN)
            assert [(owed.step_key, owed.kind) for owed in fenced.owed] == [(asked.key, "answered")]
            assert isinstance(await w.take(asked), TakeRefused)
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.answer is not None and claim.answer.acted_on is False

    async def test_a_closed_question_is_taken_back_as_ever(self) -> None:
        """S215: without an answer a channel that hears answers is told what every channel is told."""
        async with self.world() as w:
            asked = await _asked(w)
            ended = await w.end(asked.ref, "failed")
            assert [owed.kind for owed in ended.owed] == ["withdraw"]
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.answer is None and claim.resolution is PauseResolution.CANCELLED

    async def test_a_fast_answer_waits_for_its_send(self) -> None:
        """S243, S223: answered while its send is under way: only its own step may tell, and it is told that it is to."""
        async with self.world() as w:
            asked = await _opened(w)
            await w.resolve(asked)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60) is None
            assert await w.index.owed_withdraws(limit=10) == ()
            found = await _open(w, asked.ref, asked.key)
            assert found == OpenFound(status=PauseStatus.RESOLVED, failed_send=False, owed=True)
            sent = await w.sent(asked.ref, asked.key)
            assert (sent.status, sent.owed) == (PauseStatus.RESOLVED, True)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60) is not None

    async def test_a_lost_send_s_answer_is_told_after_its_timeout(self) -> None:
        """E02: the worker died in a send whose question was answered: owed to the sweep once the timeout has passed."""
        async with self.world() as w:
            asked = await _opened(w)
            await w.resolve(asked)
            w.clock.advance(TIMEOUT_SECONDS)
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=10)] == [asked.key]

    async def test_a_question_seen_after_it_was_told_is_told_again(self) -> None:
        """Protocol, closing notices: a send that returns after the notice shows live buttons again, so it is owed again."""
        async with self.world() as w:
            asked = await _opened(w)
            await w.resolve(asked)
            first = await w.index.claim_withdraw(asked.key, lease_seconds=60, force=True)
            assert first is not None
            await w.index.withdraw_told(asked.key, first.claim)
            assert (await w.sent(asked.ref, asked.key)).owed
            again = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert again is not None and again.pause_id == first.pause_id

    async def test_a_send_that_raised_or_decided_is_told_nothing(self) -> None:
        """S224, S225: the answer stands (R22), and a channel that never asked anybody has no buttons."""
        async with self.world() as w:
            for root, outcome in (("r1", "decided"), ("r2", "failed")):
                asked = await _opened(w, root)
                await w.resolve(asked)
                sent = await w.sent(asked.ref, asked.key, outcome)  # type: ignore[arg-type]
                assert (sent.status, sent.ignored, sent.owed) == (PauseStatus.RESOLVED, True, False)
                assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None
            unclear = await _opened(w, "r3")
            await w.resolve(unclear)
            assert (await w.sent(unclear.ref, unclear.key, "failed", unclear=True)).owed

    async def test_a_decision_at_once_is_told_nobody(self) -> None:
        """F02: what the only channel decided by itself it knows."""
        async with self.world() as w:
            asked = await _opened(w)
            assert not (await w.sent(asked.ref, asked.key, "decided")).owed
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None

    async def test_a_record_is_kept_until_its_answer_is_told(self) -> None:
        """Retention: what is owed isn't removed."""
        async with self.world() as w:
            asked = await _asked(w)
            await w.resolve(asked)
            await w.taken(asked)
            await w.index.settle(asked.key, result="done")
            w.clock.advance(1)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 0
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None
            await w.index.withdraw_told(asked.key, claim.claim)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 1

    # --- several channels ---

    async def test_all_that_were_asked_are_told(self) -> None:
        """Several channels: one claim names them all; of two that were asked by one send, neither is known to be spared."""
        async with self.world() as w:
            asked = await _opened(w, several=True)
            await w.sent(asked.ref, asked.key, asked=BOTH)
            await w.resolve(asked)
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.implementations == BOTH

    async def test_one_that_raised_is_spared(self) -> None:
        """S225: the channel whose send raised is told nothing, taken back or answered; after another attempt nobody knows."""
        async with self.world() as w:
            for root, attempts, told in (("r1", 1, (MAIL,)), ("r2", 2, BOTH)):
                asked = await _opened(w, root, several=True)
                for attempt in range(2, attempts + 1):
                    assert isinstance(await _open(w, asked.ref, asked.key, several=True), OpenSend), attempt
                await w.sent(asked.ref, asked.key, attempt=attempts, asked=(MAIL,))
                await w.end(asked.ref, "failed")
                claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
                assert claim is not None and claim.implementations == told

    async def test_one_decides_and_the_others_are_told(self) -> None:
        """Several channels: DECIDED at once, the rejection names the one that decided (R13), and those that asked are told."""
        async with self.world() as w:
            asked = await _opened(w, several=True)
            sent = await w.sent(asked.ref, asked.key, "decided", asked=(MAIL,), decided_by=SLACK)
            assert (sent.status, sent.owed) == (PauseStatus.TAKEN, True)
            assert (await w.taken(asked)).decided_by == SLACK
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.answer is not None
            assert (claim.implementations, claim.answer.responder, claim.answer.is_decided) == ((MAIL,), SLACK, True)
            assert claim.resolution is PauseResolution.WITHDRAWN

    async def test_one_decides_and_nobody_else_asked(self) -> None:
        """Several channels: the others raised or decided too, so there is nothing to tell."""
        async with self.world() as w:
            asked = await _opened(w, several=True)
            assert not (await w.sent(asked.ref, asked.key, "decided", asked=(), decided_by=SLACK)).owed
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None

    async def test_one_decides_at_a_second_attempt(self) -> None:
        """R23: what the lost attempt's channels asked is told, but not to the one that decided."""
        async with self.world() as w:
            asked = await _opened(w, several=True)
            await _open(w, asked.ref, asked.key, several=True)
            sent = await w.sent(asked.ref, asked.key, "decided", attempt=2, asked=(), decided_by=SLACK)
            assert sent.owed
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60)
            assert claim is not None and claim.implementations == (MAIL,)

    async def test_closed_during_a_send_in_which_one_decided(self) -> None:
        """S223, S224: of a question closed meanwhile, those that asked take it back; the one that decided has nothing to."""
        async with self.world() as w:
            asked = await _opened(w, several=True)
            await w.fence(asked.ref, "support-agent.0", resolution=PauseResolution.WITHDRAWN)
            sent = await w.sent(asked.ref, asked.key, "decided", asked=(MAIL,), decided_by=SLACK)
            assert (sent.status, sent.ignored, sent.owed) == (PauseStatus.CANCELLED, True, False)
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=60, force=True)
            assert claim is not None and claim.answer is None and claim.implementations == (MAIL,)


async def _open(w: World, ref: HolderRef, key: Any, *, several: bool = False) -> Any:
    """T3 of a question whose channel hears answers, or of two channels."""
    return await w.index.open(
        OpenPause(
            ref=ref,
            execution=ExecutionId(ref.holder),
            workflow_id=WorkflowId(f"app.{ref.holder}"),
            step_key=key,
            channel="refund-approval-channel",
            implementation="refund-approval-channel" if several else SLACK,
            answered_by=PauseAnswerer.CHANNEL,
            four_eyes=False,
            timeout_seconds=TIMEOUT_SECONDS,
            implementations=BOTH if several else (),
            tells_answers=True,
        )
    )


async def _opened(w: World, root: str = "root", *, several: bool = False) -> Asked:
    """One whose send is under way."""
    ref = await w.start(root)
    (key,) = await w.turn(ref, {"amount": 10})
    opened = await _open(w, ref, key, several=several)
    assert isinstance(opened, OpenSend), opened
    return Asked(ref, key, opened.pause_id)


async def _asked(w: World) -> Asked:
    """One that was sent."""
    asked = await _opened(w)
    await w.sent(asked.ref, asked.key)
    return asked
