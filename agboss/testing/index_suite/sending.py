"""T3': what became of a send, against everything that may have come first."""

from agboss.domain.events import ExecutionPaused, ExecutionResumed
from agboss.domain.failures import FailureRecord
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.ports.pause_index import Answer, OpenFound, TakeRun
from agboss.testing.index_suite.world import ACME, TIMEOUT_SECONDS, Asked, Suite, World

DECLINED = FailureRecord(class_path="slack:Down", ancestors=("builtins:Exception",), code=None, message="slack is down")


class Sending(Suite):
    """The end of a send."""

    async def test_a_channel_decides_at_once(self) -> None:
        """S149, S156, R13: TAKEN and DECIDED without a pause; no resume event; the channel stands for who decided."""
        async with self.world() as w:
            asked = await self._opened(w)
            w.clock.advance(2)
            answer = Answer(decision={"approved": False}, masked_decision={"approved": False}, responder=None)
            sent = await w.sent(asked.ref, asked.key, "decided", answer=answer)
            assert (sent.status, sent.ignored, sent.failed_send) == (PauseStatus.TAKEN, False, False)
            record = await w.record(asked)
            assert (record.resolution, record.resolved_at) == (PauseResolution.DECIDED, w.clock.now())
            taken = await w.taken(asked)
            assert taken.decision == {"approved": False} and taken.decided_by is not None
            assert not [event for event in await w.events() if isinstance(event, ExecutionResumed)]
            (entry,) = await w.index.entries(ACME, asked.ref.root)
            assert (entry.responder, entry.resolution, entry.acted_on) == (None, PauseResolution.DECIDED, True)

    async def test_a_send_that_raised_closes_its_question(self) -> None:
        """S196, S225, R34: CANCELLED, and nothing to take back; a step that enters again is told what was raised."""
        async with self.world() as w:
            asked = await self._opened(w)
            sent = await w.sent(asked.ref, asked.key, "failed", failure=DECLINED)
            assert (sent.status, sent.ignored, sent.failed_send) == (PauseStatus.CANCELLED, False, True)
            found = await w.open(asked.ref, asked.key)
            assert found == OpenFound(status=PauseStatus.CANCELLED, failed_send=True, failure=DECLINED)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None
            assert not (await w.record(asked)).is_sent

    async def test_a_failed_send_that_may_have_been_seen_is_taken_back(self) -> None:
        """R34: owed where an earlier attempt was made, or where the send timed out."""
        async with self.world() as w:
            again = await self._opened(w, "r1")
            await w.opened(again.ref, again.key)
            await w.sent(again.ref, again.key, "failed", attempt=2)
            unclear = await self._opened(w, "r2")
            await w.sent(unclear.ref, unclear.key, "failed", unclear=True)
            for asked in (again, unclear):
                assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is not None

    async def test_an_answer_that_came_first_stands(self) -> None:
        """R22, S243: a send that decides or fails after a recorded answer is ignored; nothing is taken back."""
        async with self.world() as w:
            for root, outcome in (("r1", "decided"), ("r2", "failed")):
                asked = await self._opened(w, root)
                await w.resolve(asked, approved=False)
                sent = await w.sent(asked.ref, asked.key, outcome)  # type: ignore[arg-type]
                assert (sent.status, sent.ignored, sent.failed_send) == (PauseStatus.RESOLVED, True, False)
                taken = await w.taken(asked)
                assert taken.decision == {"approved": False} and taken.decided_by == "manager-17"
                assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None

    async def test_a_late_send_marks_an_answered_question_sent(self) -> None:
        """S243: the send returns after the answer was taken: sent, and nothing else changes."""
        async with self.world() as w:
            asked = await self._opened(w)
            await w.resolve(asked)
            await w.taken(asked)
            sent = await w.sent(asked.ref, asked.key)
            assert sent.status is PauseStatus.TAKEN and (await w.record(asked)).is_sent

    async def test_an_older_attempt_s_failure_closes_nothing(self) -> None:
        """T3': a frozen worker's late failure doesn't close the question while a newer attempt is under way: the step is
        told to ask again, since nobody knows yet what becomes of the newer one."""
        async with self.world() as w:
            asked = await self._opened(w)
            await w.opened(asked.ref, asked.key)
            failed = await w.sent(asked.ref, asked.key, "failed", attempt=1, rest=1)
            assert (failed.status, failed.ignored, failed.superseded) == (PauseStatus.PENDING, True, True)
            assert failed.rest is None
            await w.sent(asked.ref, asked.key, attempt=2)
            again = await w.sent(asked.ref, asked.key, "failed", attempt=1)
            assert (again.status, again.ignored, again.superseded) == (PauseStatus.PENDING, True, False)
            assert (await w.record(asked)).is_sent

    async def test_an_older_attempt_that_asked_has_asked(self) -> None:
        """T3': what asked or decided first counts, whichever attempt it was; a newer one's failure changes nothing, since
        Temporal may listen to the older."""
        async with self.world() as w:
            asked = await self._opened(w, "r1")
            await w.opened(asked.ref, asked.key)
            first = await w.sent(asked.ref, asked.key, attempt=1)
            assert (first.status, first.ignored, first.superseded) == (PauseStatus.PENDING, False, False)
            assert (await w.sent(asked.ref, asked.key, "failed", attempt=2)).ignored
            assert (await w.record(asked)).status is PauseStatus.PENDING
            decided = await self._opened(w, "r2")
            await w.opened(decided.ref, decided.key)
            assert (await w.sent(decided.ref, decided.key, "decided", attempt=1)).status is PauseStatus.TAKEN
            assert (await w.sent(decided.ref, decided.key, "failed", attempt=2)).status is PauseStatus.TAKEN

    async def test_the_same_outcome_again_changes_nothing(self) -> None:
        """T3' is idempotent: repeated, each outcome gives the same answer and counts no change."""
        async with self.world() as w:
            for number, outcome in enumerate(("sent", "decided", "failed")):
                asked = await self._opened(w, f"r{number}")
                first = await w.sent(asked.ref, asked.key, outcome)  # type: ignore[arg-type]
                seq = await w.seq(asked.ref)
                assert await w.sent(asked.ref, asked.key, outcome) == first  # type: ignore[arg-type]
                assert await w.seq(asked.ref) == seq

    async def test_a_question_closed_during_its_send_is_told_by_its_step(self) -> None:
        """S223: until the send has returned only the step itself may tell, with force; then anyone."""
        async with self.world() as w:
            asked = await self._opened(w)
            fenced = await w.fence(asked.ref, "support-agent.0")
            assert fenced.owed == () and await w.index.owed_withdraws(limit=10) == ()
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1) is None
            assert (await w.sent(asked.ref, asked.key)).status is PauseStatus.CANCELLED
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=10)] == [asked.key]
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1) is not None

    async def test_a_lost_send_is_told_after_its_timeout(self) -> None:
        """E02: closed during a send whose worker died: owed to the sweep once the tool's timeout has passed."""
        async with self.world() as w:
            asked = await self._opened(w)
            await w.end(asked.ref, "failed")
            assert await w.index.owed_withdraws(limit=10) == ()
            w.clock.advance(TIMEOUT_SECONDS)
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=10)] == [asked.key]

    async def test_nobody_was_asked_after_all(self) -> None:
        """S224, S225: closed during the send, which then decided at once or raised: there is nothing to take back."""
        async with self.world() as w:
            for root, outcome in (("r1", "decided"), ("r2", "failed")):
                asked = await self._opened(w, root)
                await w.fence(asked.ref, "support-agent.0")
                sent = await w.sent(asked.ref, asked.key, outcome)  # type: ignore[arg-type]
                assert (sent.status, sent.ignored) == (PauseStatus.CANCELLED, True)
                assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None

    async def test_a_question_seen_after_it_was_taken_back_is_taken_back_again(self) -> None:
        """Protocol, Withdraw: a send that returns after its question was told owes again, once for that send."""
        async with self.world() as w:
            asked = await self._opened(w)
            await w.end(asked.ref, "failed")
            w.clock.advance(TIMEOUT_SECONDS)
            claim = await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True)
            assert claim is not None
            await w.index.withdraw_told(asked.key, claim.claim)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1, force=True) is None
            await w.sent(asked.ref, asked.key)
            again = await w.index.claim_withdraw(asked.key, lease_seconds=1)
            assert again is not None and again.pause_id == claim.pause_id
            await w.index.withdraw_told(asked.key, again.claim)
            await w.sent(asked.ref, asked.key)
            assert await w.index.claim_withdraw(asked.key, lease_seconds=1) is None

    async def test_a_rest_rides_with_a_pending_question(self) -> None:
        """T3': the rest is decided in the same transaction, and only where the question waits."""
        async with self.world() as w:
            asked = await self._opened(w, "r1")
            sent = await w.sent(asked.ref, asked.key, rest=1)
            assert sent.rest is not None and sent.rest.accepted
            progress = await w.progress(asked.ref)
            assert progress.at_rest and [pause.ask.call_id for pause in progress.pending] == ["call_0"]
            (paused,) = [event for event in await w.events() if isinstance(event, ExecutionPaused)]
            assert [pause.ask.call_id for pause in paused.pending] == ["call_0"]
            answered = await self._opened(w, "r2")
            await w.resolve(answered)
            assert (await w.sent(answered.ref, answered.key, rest=1)).rest is None
            assert not (await w.progress(answered.ref)).at_rest

    async def test_a_send_past_all_retention_changes_nothing(self) -> None:
        """A frozen worker reports its send when the record is long gone: it is told what had become of it."""
        async with self.world() as w:
            asked = await self._opened(w)
            await w.resolve(asked)
            await w.taken(asked)
            await w.end(asked.ref)
            w.clock.advance(1)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 1
            sent = await w.sent(asked.ref, asked.key)
            assert (sent.status, sent.ignored, sent.rest) == (PauseStatus.TAKEN, True, None)
            assert await w.index.find(ACME, asked.pause_id) is None

    async def test_the_decision_of_a_channel_is_taken_like_any(self) -> None:
        """S055: decided at once, the call runs with what was asked."""
        async with self.world() as w:
            asked = await self._opened(w)
            await w.sent(asked.ref, asked.key, "decided")
            taken = await w.take(asked)
            assert isinstance(taken, TakeRun) and taken.call.arguments == {"amount": 10}

    async def _opened(self, w: World, root: str = "root") -> Asked:
        """A question whose send is under way."""
        ref = await w.start(root)
        (key,) = await w.turn(ref, {"amount": 10})
        return Asked(ref, key, (await w.opened(ref, key)).pause_id)
