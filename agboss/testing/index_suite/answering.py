"""T1, T2 and T2': recording an answer, taking it, settling the call."""

import asyncio

from agboss.decisions.pause_machine import PauseEvent, after
from agboss.domain.events import ExecutionResumed
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import StepKey
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.errors import NotPausedError, PauseIndexError, PauseRecordExpiredError, UnknownPauseError
from agboss.ports.pause_index import TakeNothing, TakeRefused, TakeRun
from agboss.testing.index_suite.world import ACME, OTHER, Asked, Suite, World, raises


class Answering(Suite):
    """From a recorded answer to a settled call."""

    async def test_an_answer_is_recorded_whole(self) -> None:
        """S131, S147, S153, S154, S155: RESOLVED with resolution, decision, responder and the clock's instant."""
        async with self.world() as w:
            asked = await w.asked()
            before = await w.record(asked)
            assert before.status is PauseStatus.PENDING and before.resolution is None
            assert before.resolved_at is None and before.answer is None and before.asked_at == w.clock.now()
            w.clock.advance(60)
            resolved = await w.resolve(asked, approved=True, override_arguments={"amount": 5})
            assert resolved.root == "root" and resolved.workflow_id == "app.root" and resolved.rest_no == 0
            record = await w.record(asked)
            assert resolved.pause_key == record.pause_key
            assert (record.status, record.resolution) == (PauseStatus.RESOLVED, PauseResolution.REPLIED)
            assert record.resolved_at == w.clock.now() and record.acted_on
            assert record.answer is not None and record.answer.responder is not None
            assert record.answer.decision == {"approved": True, "override_arguments": {"amount": 5}}
            assert record.answer.responder.name == "manager-17"
            assert record.answer.responder.answerer is PauseAnswerer.CHANNEL

    async def test_a_second_answer_changes_nothing(self) -> None:
        """S152, S237, A02: the first decision stands, also against the opposite one; one entry."""
        async with self.world() as w:
            asked = await w.asked()
            await w.resolve(asked, approved=False)
            before = await w.record(asked)
            for _ in range(2):
                with raises(NotPausedError):
                    await w.resolve(asked, approved=True, by="manager-18")
            await w.taken(asked)
            with raises(NotPausedError):
                await w.resolve(asked, approved=True)
            assert (await w.record(asked)).answer == before.answer
            assert len(await w.index.entries(ACME, asked.ref.root)) == 1

    async def test_of_many_answers_at_once_one_wins(self) -> None:
        """S236, S238, C01: twenty different answers at once have one winner, and record, entry and step agree on it."""
        async with self.world() as w:
            asked = await w.asked()
            answers = (w.resolve(asked, approved=n % 2 == 0, by=f"manager-{n}") for n in range(20))
            results = await asyncio.gather(*answers, return_exceptions=True)
            (winner,) = [n for n, result in enumerate(results) if not isinstance(result, BaseException)]
            assert sum(isinstance(result, NotPausedError) for result in results) == 19
            taken = await w.taken(asked)
            assert taken.decided_by == f"manager-{winner}" and taken.decision == {"approved": winner % 2 == 0}
            (entry,) = await w.index.entries(ACME, asked.ref.root)
            assert entry.responder == taken.decided_by and entry.decision == taken.decision

    async def test_an_unknown_pause_and_a_foreign_one_look_the_same(self) -> None:
        """S043, S044: the same error, text and data; the pause is untouched."""
        async with self.world() as w:
            asked = await w.asked()
            seq = await w.seq(asked.ref)
            with raises(UnknownPauseError) as unknown:
                await w.resolve(StepKey("0" * 64))
            with raises(UnknownPauseError) as foreign:
                await w.resolve(asked, tenant=OTHER)
            assert str(unknown[0]) == str(foreign[0]) and unknown[0].__dict__ == foreign[0].__dict__
            assert await w.seq(asked.ref) == seq
            assert (await w.record(asked)).status is PauseStatus.PENDING

    async def test_an_answer_sets_its_holder_moving(self) -> None:
        """T1: the tree isn't at rest any more, in the same transaction; the answer to the caller names the rest before."""
        async with self.world() as w:
            asked = await w.asked()
            assert (await w.rest(asked.ref, 1)).accepted
            assert (await w.progress(asked.ref)).at_rest
            resolved = await w.resolve(asked)
            progress = await w.progress(asked.ref, asked.key)
            assert (resolved.rest_no, progress.rest_no, progress.at_rest, progress.untaken) == (1, 1, False, True)

    async def test_the_step_takes_the_decision_once(self) -> None:
        """S149, S246, T2: RESOLVED becomes TAKEN with one resume event; taken again it gives the same and moves nothing."""
        async with self.world() as w:
            asked = await w.asked()
            await w.resolve(asked, approved=False, reason="too much")
            w.clock.advance(5)
            first = await w.taken(asked)
            seq = await w.seq(asked.ref)
            again = await w.taken(asked)
            assert first.decision == again.decision == {"approved": False, "reason": "too much"}
            assert first.motion == again.motion and await w.seq(asked.ref) == seq
            assert first.call.arguments == {"amount": 10} and first.node == "support-agent"
            assert (await w.record(asked)).status is PauseStatus.TAKEN
            resumed = [event for event in await w.events() if isinstance(event, ExecutionResumed)]
            assert [(event.answered_by, event.answerer) for event in resumed] == [("manager-17", PauseAnswerer.CHANNEL)]
            assert resumed[0].resolution is PauseResolution.REPLIED and resumed[0].tool == "refund-tool"
            assert not (await w.progress(asked.ref, asked.key)).untaken

    async def test_a_take_raises_the_motion(self) -> None:
        """T2: the movement of a take is counted, so that a rest asked for before it is refused."""
        async with self.world() as w:
            asked = await w.asked()
            await w.rest(asked.ref, 1)
            await w.resolve(asked)
            taken = await w.taken(asked)
            assert taken.motion == 3
            late = await w.rest(asked.ref, 2)
            assert (late.accepted, late.motion) == (False, 3)

    async def test_nothing_is_taken_before_an_answer(self) -> None:
        """T2 of a question that isn't opened, or waits, takes nothing and changes nothing."""
        async with self.world() as w:
            ref = await w.start()
            (key,) = await w.turn(ref, {"amount": 10})
            assert await w.index.take(ref, key) == TakeNothing(motion=1)
            asked = await w.ask(ref, key)
            seq = await w.seq(ref)
            assert await w.take(asked) == TakeNothing(motion=1)
            assert await w.seq(ref) == seq

    async def test_a_closed_question_is_refused_to_its_step(self) -> None:
        """Invariant 2: under a fence, and in an ended tree, nothing is taken, also what had been answered."""
        async with self.world() as w:
            fenced = await w.asked("r1")
            await w.resolve(fenced)
            await w.fence(fenced.ref, "support-agent.0")
            assert isinstance(await w.take(fenced), TakeRefused)
            ended = await w.asked("r2")
            await w.end(ended.ref, "failed")
            assert isinstance(await w.take(ended), TakeRefused)

    async def test_an_ungated_call_runs_unless_fenced(self) -> None:
        """S002, T2: nobody needs to decide; a fence and an end refuse it all the same."""
        async with self.world() as w:
            ref = await w.start()
            one, two = await w.turn(ref, {"amount": 1}, {"amount": 2}, gated=False)
            taken = await w.index.take(ref, one)
            assert isinstance(taken, TakeRun) and taken.decision is None and not taken.begun_before
            await w.fence(ref, "support-agent.0")
            assert isinstance(await w.index.take(ref, two), TakeRefused)

    async def test_a_lost_worker_is_noticed(self) -> None:
        """R04: a call that was let in before and has no result says so; its key and arguments are the same."""
        async with self.world() as w:
            asked = await w.asked()
            await w.resolve(asked)
            first, second = await w.taken(asked), await w.taken(asked)
            assert (first.begun_before, second.begun_before) == (False, True)
            assert first.call == second.call

    async def test_a_call_is_settled_once(self) -> None:
        """T2': the first result stands, also a failure, and is what a later take gives."""
        async with self.world() as w:
            ref = await w.start()
            one, two = await w.turn(ref, {"amount": 1}, {"amount": 2}, gated=False)
            await w.index.take(ref, one)
            assert (await w.index.settle(one, result="refunded")).result == "refunded"
            seq = await w.seq(ref)
            assert (await w.index.settle(one, result="refunded twice")).result == "refunded"
            assert await w.seq(ref) == seq
            taken = await w.index.take(ref, one)
            assert isinstance(taken, TakeRun) and taken.call.result == "refunded"
            failure = FailureRecord(class_path="shop:Declined", code="shop.declined", message="no", data={"a": 1})
            assert (await w.index.settle(two, result=None, failure=failure)).failure == failure
            assert (await w.index.settle(two, result="late")).failure == failure

    async def test_an_unknown_step_is_a_clear_error(self) -> None:
        """A step that no turn recorded is an error of the index, never a question or a run."""
        async with self.world() as w:
            ref = await w.start()
            unknown = StepKey("0" * 64)
            for attempt in (
                w.index.take(ref, unknown),
                w.open(ref, unknown),
                w.index.settle(unknown, result="x"),
                w.sent(ref, unknown),
            ):
                with raises(PauseIndexError):
                    await attempt

    async def test_an_expired_answer_fails_closed(self) -> None:
        """A step with a permanent answer and no record is neither asked nor run again; one with a result keeps it."""
        async with self.world() as w:
            ref = await w.start()
            keys = await w.turn(ref, {"amount": 1}, {"amount": 2})
            for key in keys:
                await w.resolve(await w.ask(ref, key))
                await w.index.take(ref, key)
            await w.index.settle(keys[0], result="refunded")
            await w.index.settle(keys[1], result="refunded")
            w.clock.advance(1)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 2
            taken = await w.index.take(ref, keys[0])
            assert isinstance(taken, TakeRun) and taken.call.result == "refunded"
            with raises(PauseRecordExpiredError):
                await w.open(ref, keys[0])

    async def test_no_change_outside_the_table(self) -> None:
        """S151: of every pair of status and event, only those of the pause machine's table change anything."""
        async with self.world() as w:
            number = 0
            for status in PauseStatus:
                for event in PauseEvent:
                    number += 1
                    asked = await _bring_to(w, f"tree-{number}", status)
                    before = await w.record(asked)
                    assert before.status is status
                    await _happen(w, asked, event)
                    now = await w.record(asked)
                    wanted = after(status, event)
                    assert now.status is (wanted or status), (status, event, now.status)
                    if wanted is None:
                        assert (now.resolution, now.answer, now.resolved_at) == (
                            before.resolution,
                            before.answer,
                            before.resolved_at,
                        )


async def _bring_to(w: World, root: str, status: PauseStatus) -> Asked:
    """A record of that status whose send is still under way, so that every event can come."""
    ref = await w.start(root)
    (key,) = await w.turn(ref, {"amount": 10})
    asked = Asked(ref, key, (await w.opened(ref, key)).pause_id)
    if status in (PauseStatus.RESOLVED, PauseStatus.TAKEN):
        await w.resolve(asked)
    if status is PauseStatus.TAKEN:
        await w.taken(asked)
    if status is PauseStatus.CANCELLED:
        await w.fence(ref, "support-agent.0")
    return asked


async def _happen(w: World, asked: Asked, event: PauseEvent) -> None:
    match event:
        case PauseEvent.ANSWER:
            try:
                await w.resolve(asked, approved=False, by="manager-99")
            except NotPausedError:
                return
        case PauseEvent.TAKE:
            await w.take(asked)
        case PauseEvent.DECIDE:
            await w.sent(asked.ref, asked.key, "decided")
        case PauseEvent.FAIL_SEND:
            await w.sent(asked.ref, asked.key, "failed")
        case PauseEvent.CLOSE:
            await w.fence(asked.ref, "")
