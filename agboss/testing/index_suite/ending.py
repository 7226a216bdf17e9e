"""T4 and T6: ends, fences and cancels."""

import asyncio

from agboss.domain.events import ExecutionEnded, ExecutionFailed
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ThreadId
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.errors import NotPausedError
from agboss.ports.pause_index import ResolvedPause, TakeRefused
from agboss.testing.index_suite.world import ACME, Suite, raises


class Ending(Suite):
    """How trees and parts of them end."""

    async def test_an_end_leaves_nothing_open(self) -> None:
        """S159, S160: the waiting question is CANCELLED and owed; late answers find it closed."""
        async with self.world() as w:
            asked = await w.asked()
            ended = await w.end(asked.ref, "failed")
            assert [owed.step_key for owed in ended.owed] == [asked.key] and ended.parent_motion is None
            record = await w.record(asked)
            assert (record.status, record.resolution) == (PauseStatus.CANCELLED, PauseResolution.CANCELLED)
            with raises(NotPausedError):
                await w.resolve(asked)
            (entry,) = await w.index.entries(ACME, asked.ref.root)
            assert (entry.resolution, entry.decision, entry.responder) == (PauseResolution.CANCELLED, None, None)

    async def test_an_answer_that_was_overtaken_is_kept(self) -> None:
        """R03: a recorded answer closed untaken stays REPLIED with its answer, was not acted on, and isn't taken back."""
        async with self.world() as w:
            asked = await w.asked()
            await w.resolve(asked)
            assert (await w.end(asked.ref, "failed")).owed == ()
            record = await w.record(asked)
            assert (record.status, record.resolution) == (PauseStatus.CANCELLED, PauseResolution.REPLIED)
            assert record.answer is not None and not record.acted_on
            assert isinstance(await w.take(asked), TakeRefused)
            (entry,) = await w.index.entries(ACME, asked.ref.root)
            assert (entry.responder, entry.acted_on, entry.decision) == ("manager-17", False, {"approved": True})
            assert await w.index.due_nudges(limit=10) == ()

    async def test_a_tree_ends_once(self) -> None:
        """T4 is idempotent: the first outcome stands, one end event, the same questions left."""
        async with self.world() as w:
            asked = await w.asked()
            first = await w.end(asked.ref, "finished", output={"text": "done"})
            seq = await w.seq(asked.ref)
            again = await w.end(asked.ref, "failed", failure=_failure("late"))
            assert again == first and await w.seq(asked.ref) == seq
            progress = await w.progress(asked.ref)
            assert (progress.ended, progress.at_rest, progress.outcome) == (True, False, "finished")
            assert progress.output == {"text": "done"} and progress.failure is None and progress.pending == ()
            assert len([event for event in await w.events() if event.kind in ("end", "error")]) == 1

    async def test_observers_hear_how_it_ended(self) -> None:
        """S038: one end event, with cancelled where it was; an error event with the failure where it failed."""
        async with self.world() as w:
            for outcome, root in (("finished", "r1"), ("cancelled", "r2"), ("failed", "r3")):
                await w.end(await w.start(root), outcome, failure=_failure("no") if outcome == "failed" else None)  # type: ignore[arg-type]
            last = [event for event in await w.events() if event.kind != "start"]
            assert isinstance(last[0], ExecutionEnded) and not last[0].cancelled
            assert isinstance(last[1], ExecutionEnded) and last[1].cancelled
            assert isinstance(last[2], ExecutionFailed) and last[2].failure == _failure("no")
            assert (await w.progress(await w.start("r3"))).failure == _failure("no")

    async def test_a_cancel_is_applied_once(self) -> None:
        """S061, S063: true once; the pauses are CANCELLED and owed, the root is set moving; again, or after the end: false."""
        async with self.world() as w:
            asked = await w.asked()
            await w.rest(asked.ref, 1)
            first = await w.fence(asked.ref, cancel=True)
            assert first.applied and [owed.step_key for owed in first.owed] == [asked.key]
            progress = await w.progress(asked.ref)
            assert (progress.ended, progress.at_rest, progress.pending) == (False, False, ())
            live = await w.index.live_tree(ACME, ThreadId("thread-of-root"))
            assert live is not None and live.fenced
            again = await w.fence(asked.ref, cancel=True)
            assert not again.applied and again.owed == first.owed
            await w.end(asked.ref, "cancelled")
            assert not (await w.fence(asked.ref, cancel=True)).applied
            record = await w.record(asked)
            assert (record.status, record.resolution) == (PauseStatus.CANCELLED, PauseResolution.CANCELLED)

    async def test_an_answer_and_a_cancel_at_once_have_one_winner(self) -> None:
        """S221, D07: whichever comes first decides what the record says; the tool may only run where the answer won and
        was taken before the cancel."""
        async with self.world() as w:
            for number in range(10):
                asked = await w.asked(f"r{number}")
                answering, cancelling = w.resolve(asked), w.fence(asked.ref, cancel=True)
                if number % 2:
                    answer, _ = await asyncio.gather(answering, cancelling, return_exceptions=True)
                else:
                    _, answer = await asyncio.gather(cancelling, answering, return_exceptions=True)
                record = await w.record(asked)
                assert record.status is PauseStatus.CANCELLED
                won = isinstance(answer, ResolvedPause)
                assert won or isinstance(answer, NotPausedError)
                assert record.resolution is (PauseResolution.REPLIED if won else PauseResolution.CANCELLED)
                assert isinstance(await w.take(asked), TakeRefused)

    async def test_who_was_told_cancelled_does_not_find_it_finished(self) -> None:
        """S063: a flow that reaches its end while a cancel is on its way was cancelled."""
        async with self.world() as w:
            ref = await w.start()
            assert (await w.fence(ref, cancel=True)).applied
            await w.end(ref, "finished", output={"text": "done"})
            progress = await w.progress(ref)
            assert (progress.outcome, progress.output) == ("cancelled", None)

    async def test_a_fence_closes_its_own_part_only(self) -> None:
        """S205, S201: records under the path are WITHDRAWN; a place whose name only begins alike is not under it."""
        async with self.world() as w:
            ref = await w.start()
            mine = [await w.ask(ref, key) for key in await w.turn(ref, {"amount": 1}, node="agent")]
            (key,) = await w.turn(ref, {"amount": 2}, node="agent.0x")
            other = await w.ask(ref, key)
            fenced = await w.fence(ref, "agent.0", resolution=PauseResolution.WITHDRAWN)
            assert [owed.step_key for owed in fenced.owed] == [mine[0].key]
            closed = await w.record(mine[0])
            assert (closed.status, closed.resolution) == (PauseStatus.CANCELLED, PauseResolution.WITHDRAWN)
            assert (await w.record(other)).status is PauseStatus.PENDING
            await w.resolve(other)
            await w.taken(other)

    async def test_a_fence_again_gives_what_is_left(self) -> None:
        """T6 is idempotent: nothing is closed twice, and what nobody told yet is given again."""
        async with self.world() as w:
            asked = await w.asked()
            first = await w.fence(asked.ref, "support-agent.0", resolution=PauseResolution.WITHDRAWN)
            seq = await w.seq(asked.ref)
            again = await w.fence(asked.ref, "support-agent.0", resolution=PauseResolution.CANCELLED)
            assert again == first and await w.seq(asked.ref) == seq
            assert (await w.record(asked)).resolution is PauseResolution.WITHDRAWN
            assert await w.index.claim_withdraw(asked.key, lease_seconds=60) is not None
            assert (await w.fence(asked.ref, "support-agent.0")).owed == ()

    async def test_a_child_ends_with_all_below_it(self) -> None:
        """*end(path)*: the questions under an ended child are closed; its siblings' are not."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            grandchild = w.child(child, "grandchild")
            await w.rest(asked.ref, 1, confirmed=(child,))
            (key,) = await w.turn(grandchild, {"amount": 2})
            inner = await w.ask(grandchild, key)
            await w.end(child, "failed")
            assert (await w.record(inner)).status is PauseStatus.CANCELLED
            assert (await w.record(asked)).status is PauseStatus.PENDING
            assert (await w.rest(grandchild, 1)).fenced

    async def test_a_step_of_an_ended_child_is_refused(self) -> None:
        """A frozen worker of an ended holder neither asks nor runs anything, although the tree goes on."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            (gated,) = await w.turn(child, {"amount": 2})
            (ungated,) = await w.turn(child, {"amount": 3}, gated=False, iteration=1)
            await w.end(child, "failed")
            assert type(await w.open(child, gated)).__name__ == "OpenRefused"
            assert isinstance(await w.index.take(child, ungated), TakeRefused)


def _failure(message: str) -> FailureRecord:
    cause = FailureRecord(class_path="shop:Declined", code="shop.declined", message="card declined")
    return FailureRecord(class_path="agboss.errors:AgentFailedError", code="step.agent", message=message, cause=cause)
