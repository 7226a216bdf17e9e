"""T7, T5 and the rest of a tree: nobody's false rest, no missed rest."""

from agboss.domain.events import ExecutionPaused
from agboss.domain.pauses import PauseAnswerer, PauseStatus
from agboss.ports.pause_index import Wake
from agboss.testing.index_suite.world import Suite


class Resting(Suite):
    """When a tree is at rest, and when not."""

    async def test_a_tree_rests_when_nothing_in_it_moves(self) -> None:
        """S014, S034: at rest, numbered, one pause event that lists what waits."""
        async with self.world() as w:
            asked = await w.asked()
            answer = await w.rest(asked.ref, 1)
            assert (answer.accepted, answer.motion, answer.keys, answer.fenced) == (True, 1, (), False)
            progress = await w.progress(asked.ref)
            assert (progress.at_rest, progress.rest_no) == (True, 1)
            (paused,) = [event for event in await w.events() if isinstance(event, ExecutionPaused)]
            assert paused.rest == 1 and tuple(paused.pending) == progress.pending

    async def test_the_same_rest_again_is_no_second_rest(self) -> None:
        """S036, R07: T7 repeated gives the same answer, no event and no change."""
        async with self.world() as w:
            asked = await w.asked()
            first = await w.rest(asked.ref, 1)
            seq = await w.seq(asked.ref)
            assert await w.rest(asked.ref, 1) == first
            assert await w.seq(asked.ref) == seq
            assert (await w.progress(asked.ref)).rest_no == 1

    async def test_each_rest_is_told(self) -> None:
        """S035: after a partial answer the next rest lists the others."""
        async with self.world() as w:
            ref = await w.start()
            one, _ = [await w.ask(ref, key) for key in await w.turn(ref, {"amount": 1}, {"amount": 2})]
            await w.rest(ref, 1)
            await w.resolve(one)
            taken = await w.taken(one)
            await w.index.settle(one.key, result="done")
            assert (await w.rest(ref, taken.motion)).accepted
            paused = [event for event in await w.events() if isinstance(event, ExecutionPaused)]
            assert [[pause.ask.call_id for pause in event.pending] for event in paused] == [["call_0", "call_1"], ["call_1"]]
            assert [event.rest for event in paused] == [1, 2]

    async def test_an_untaken_answer_refuses_the_rest(self) -> None:
        """S240: T7 gives the keys of what is recorded and not taken, in the order of asking."""
        async with self.world() as w:
            ref = await w.start()
            keys = await w.turn(ref, {"amount": 1}, {"amount": 2}, {"amount": 3})
            one, two, _ = [await w.ask(ref, key) for key in keys]
            await w.resolve(two)
            await w.resolve(one)
            answer = await w.rest(ref, 3)
            pause_keys = [(await w.record(asked)).pause_key for asked in (one, two)]
            assert (answer.accepted, answer.motion, list(answer.keys)) == (False, 3, pause_keys)
            assert (await w.progress(ref)).rest_no == 0

    async def test_a_late_rest_of_a_frozen_worker_is_refused(self) -> None:
        """Protocol, no false rest: every movement raised the motion, so an old one is noticed."""
        async with self.world() as w:
            ref = await w.start()
            one, _ = [await w.ask(ref, key) for key in await w.turn(ref, {"amount": 1}, {"amount": 2})]
            await w.resolve(one)
            await w.taken(one)
            late = await w.rest(ref, 1)
            assert (late.accepted, late.motion, late.keys) == (False, 3, ())
            assert not (await w.progress(ref)).at_rest

    async def test_a_question_not_sent_yet_counts_and_is_not_listed(self) -> None:
        """R32: the rest counts every PENDING record; lists show only those whose send has returned."""
        async with self.world() as w:
            ref = await w.start()
            (key,) = await w.turn(ref, {"amount": 1})
            await w.opened(ref, key)
            assert (await w.rest(ref, 1)).accepted
            progress = await w.progress(ref)
            assert (progress.at_rest, progress.pending) == (True, ())

    async def test_nothing_pending_is_no_rest(self) -> None:
        """S032, S037: a tree in which nobody is asked isn't at rest, and no pause event is written."""
        async with self.world() as w:
            ref = await w.start()
            assert (await w.rest(ref, 1)).accepted
            progress = await w.progress(ref)
            assert (progress.at_rest, progress.rest_no) == (False, 0)
            assert not [event for event in await w.events() if isinstance(event, ExecutionPaused)]

    async def test_a_fenced_holder_is_told_to_stop(self) -> None:
        """T7 under a fence, and in an ended tree, is refused with the reason; nothing is inserted or changed."""
        async with self.world() as w:
            asked = await w.asked()
            await w.fence(asked.ref, cancel=True)
            answer = await w.rest(asked.ref, 2)
            assert (answer.accepted, answer.fenced) == (False, True)
            await w.end(asked.ref, "cancelled")
            seq = await w.seq(asked.ref)
            answer = await w.rest(asked.ref, 2)
            assert (answer.accepted, answer.fenced) == (False, True) and await w.seq(asked.ref) == seq

    async def test_a_timer_moves_a_resting_holder(self) -> None:
        """T5: something nobody counted moved it; the motion it gives is the one a rest must have seen."""
        async with self.world() as w:
            asked = await w.asked()
            await w.rest(asked.ref, 1)
            woken = await w.index.wake(Wake(ref=asked.ref))
            assert woken.motion == 2 and not (await w.progress(asked.ref)).at_rest
            assert not (await w.rest(asked.ref, 1)).accepted
            assert (await w.rest(asked.ref, 2)).accepted
            assert (await w.progress(asked.ref)).rest_no == 2

    # --- trees of several holders ---

    async def test_a_moving_child_keeps_the_tree_from_resting(self) -> None:
        """S014: a confirmed child is inserted moving; the tree rests when both do."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            assert (await w.rest(asked.ref, 1, confirmed=(child,))).accepted
            assert not (await w.progress(asked.ref)).at_rest
            (key,) = await w.turn(child, {"amount": 2})
            await w.ask(child, key)
            assert (await w.rest(child, 1)).accepted
            progress = await w.progress(asked.ref)
            assert progress.at_rest and [pause.child_execution_id for pause in progress.pending] == [None, child.holder]

    async def test_an_unknown_holder_is_inserted_moving(self) -> None:
        """T3, *set moving*: a child's first transaction may come before its parent's news of it."""
        async with self.world() as w:
            asked = await w.asked()
            await w.rest(asked.ref, 1)
            child = w.child(asked.ref, "child")
            (key,) = await w.turn(child, {"amount": 2})
            await w.opened(child, key)
            assert not (await w.progress(asked.ref)).at_rest
            assert (await w.rest(child, 1)).accepted

    async def test_a_childs_end_moves_its_parent_first(self) -> None:
        """T4: the parent moves in the same transaction, and may not rest before it saw the closure."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            await w.rest(asked.ref, 1, confirmed=(child,))
            ended = await w.end(child)
            assert ended.parent_motion == 2
            early = await w.rest(asked.ref, 2)
            assert (early.accepted, early.unreaped) == (False, True)
            assert not (await w.progress(asked.ref)).at_rest
            assert (await w.rest(asked.ref, 2, closed=(child,))).accepted
            assert (await w.progress(asked.ref)).at_rest
            assert (await w.end(child)).parent_motion == 2

    async def test_the_end_of_a_child_nobody_told_of_still_moves_its_parent(self) -> None:
        """T4, *set moving*: the child ended before its parent had a row of its own, or news of it."""
        async with self.world() as w:
            asked = await w.asked()
            middle = w.child(asked.ref, "middle")
            child = w.child(middle, "child")
            assert (await w.end(child)).parent_motion is not None
            await w.rest(asked.ref, 1, confirmed=(middle,))
            assert not (await w.progress(asked.ref)).at_rest

    async def test_a_child_that_is_gone_is_fenced_and_ended(self) -> None:
        """T5, D09: a terminated child's questions are closed, its descendants end, and its late steps are refused."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            grandchild = w.child(child, "grandchild")
            await w.rest(asked.ref, 1, confirmed=(child,))
            (key,) = await w.turn(grandchild, {"amount": 2})
            lost = await w.ask(grandchild, key)
            woken = await w.index.wake(Wake(ref=asked.ref, gone=(child,)))
            assert [owed.step_key for owed in woken.owed] == [lost.key]
            assert (await w.record(lost)).status is PauseStatus.CANCELLED
            assert (await w.rest(grandchild, 1)).fenced
            (late,) = await w.turn(child, {"amount": 3}, iteration=1)
            assert type(await w.open(child, late)).__name__ == "OpenRefused"
            assert (await w.rest(asked.ref, woken.motion)).accepted
            assert (await w.progress(asked.ref)).at_rest

    async def test_a_slot_that_is_free_is_used(self) -> None:
        """S012, S013, R08: a holder that wants to start more is told how many may, and isn't left resting."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            first = await w.rest(asked.ref, 1, confirmed=(child,), wanting=2, limit=1)
            assert first.accepted
            (key,) = await w.turn(child, {"amount": 2})
            await w.ask(child, key)
            rested = await w.rest(child, 1)
            assert rested.accepted and rested.signal_parent
            assert not (await w.progress(asked.ref)).at_rest
            woken = await w.rest(asked.ref, 2, wanting=2, limit=1)
            assert (woken.accepted, woken.free) == (False, 1)

    async def test_an_answer_moves_the_holder_that_asked(self) -> None:
        """T1: in a tree of several, the one that waits moves, and the tree with it."""
        async with self.world() as w:
            asked = await w.asked()
            child = w.child(asked.ref, "child")
            await w.rest(asked.ref, 1, confirmed=(child,))
            (key,) = await w.turn(child, {"amount": 2})
            inner = await w.ask(child, key, answered_by=PauseAnswerer.THREAD_OWNER)
            await w.rest(child, 1)
            await w.resolve(inner)
            assert not (await w.progress(asked.ref)).at_rest
            assert (await w.taken(inner)).motion == 3
            assert (await w.rest(asked.ref, 1)).accepted
            assert not (await w.progress(asked.ref)).at_rest
