"""The journal: turns, calls and what a step starts from."""

from dataclasses import replace

from agboss.domain.ids import ExecutionId, HolderId, Path
from agboss.domain.rests import HolderRef
from agboss.errors import PauseIndexError, RunTerminatedError
from agboss.ports.pause_index import Conversation, EndHolder
from agboss.testing.index_suite.world import Suite, World, raises

ODD = 'half a pair \ud800, NUL \x00, line\u2028break, \N{FAMILY}, "quotes" \\ back'


class Journaling(Suite):
    """What was done isn't done again."""

    async def test_a_turn_is_recorded_once(self) -> None:
        """S008: what stands first stays and is returned, with the results its calls have by now."""
        async with self.world() as w:
            ref = await w.start()
            turn = w.planned(ref, {"amount": 1}, {"amount": 2}, gated=False, text="first")
            assert await w.index.record_turn(turn) == turn
            seq = await w.seq(ref)
            await w.index.settle(turn.calls[0].step_key, result="done")
            stands = await w.index.record_turn(w.planned(ref, {"amount": 9}, text="second"))
            assert stands.text == "first" and [call.result for call in stands.calls] == ["done", None]
            assert await w.seq(ref) == seq + 1

    async def test_the_end_rides_with_the_last_turn(self) -> None:
        """T4: the turn and the holder's end are one commit; what stands first stays, and a turn without output ends nothing."""
        async with self.world() as w:
            ref = await w.start()
            turn = w.planned(ref, output={"text": "first"})
            end = EndHolder(ref=ref, outcome="finished", output=turn.output)
            stands, ended = await w.index.record_answer(turn, end)
            assert stands == turn and ended is not None
            again = w.planned(ref, output={"text": "second"})
            stands, ended = await w.index.record_answer(again, replace(end, output=again.output))
            assert stands.output == {"text": "first"} and ended is not None
            progress = await w.progress(ref)
            assert (progress.ended, progress.output) == (True, {"text": "first"})
            other = await w.start("other", thread="other")
            await w.index.record_turn(w.planned(other, {"amount": 1}))
            late = w.planned(other, output={"text": "late"})
            stands, ended = await w.index.record_answer(late, EndHolder(ref=other, outcome="finished", output=late.output))
            assert ended is None and len(stands.calls) == 1
            assert not (await w.progress(other)).ended

    async def test_a_call_that_can_not_run_has_its_result_from_the_start(self) -> None:
        """S009: an invalid call's text for the model is journaled with its turn."""
        async with self.world() as w:
            ref = await w.start()
            turn = w.planned(ref, {"amount": 1}, gated=False)
            turn = replace(turn, calls=(replace(turn.calls[0], result="Tool error: invalid input"),))
            assert await w.index.record_turn(turn) == turn

    async def test_a_conversation_is_in_order(self) -> None:
        """B05: a step's turns come by iteration, their calls by position, with results; other steps' are not among them."""
        async with self.world() as w:
            ref = await w.start()
            for iteration in (2, 0, 1):
                await w.turn(ref, {"amount": iteration}, {"amount": 10}, iteration=iteration)
            await w.turn(ref, {"amount": 7}, node="other-agent")
            told = await self._conversation(w)
            assert told.input == {"text": "hello"} and not told.fenced and told.frame.thread == "thread-of-root"
            assert [turn.iteration for turn in told.turns] == [0, 1, 2]
            assert [[call.call_id for call in turn.calls] for turn in told.turns] == [["call_0", "call_1"]] * 3

    async def test_a_step_starts_from_the_output_of_the_one_before(self) -> None:
        """The output of a node is the input of the next; where there is none, that is a clear error."""
        async with self.world() as w:
            ref = await w.start()
            await w.turn(ref, {"amount": 1})
            with raises(PauseIndexError) as caught:
                await self._conversation(w, node="next-agent", input_from="support-agent")
            assert "support-agent" in str(caught[0])
            await w.turn(ref, iteration=1, output={"text": "refunded"})
            told = await self._conversation(w, node="next-agent", input_from="support-agent")
            assert told.input == {"text": "refunded"} and told.turns == ()

    async def test_branches_have_conversations_of_their_own(self) -> None:
        """B08: the same agent in another branch, at the same visit, doesn't see these turns."""
        async with self.world() as w:
            root = await w.start()
            for branch in ("left", "right"):
                turn = w.planned(replace(root, path=Path(branch)), text=branch)
                await w.index.record_turn(turn)
            told = await self._conversation(w, path="left/support-agent.0")
            assert [turn.text for turn in told.turns] == ["left"]

    async def test_a_fence_is_seen_by_a_model_turn(self) -> None:
        """E01: under a fence, and in an ended tree, a step is told not to go on."""
        async with self.world() as w:
            ref = await w.start()
            await w.fence(ref, "support-agent.0")
            assert (await self._conversation(w)).fenced
            assert not (await self._conversation(w, node="other-agent", path="other-agent.0")).fenced
            await w.end(ref, "failed")
            assert (await self._conversation(w, node="other-agent", path="other-agent.0")).fenced

    async def test_an_unknown_tree_has_no_conversation(self) -> None:
        """A worker whose tree is not in the index is told so, and not to try for ever."""
        async with self.world() as w:
            ref = await w.start()
            await w.end(ref)
            with raises(RunTerminatedError):
                await self._conversation(w, root="nowhere")

    async def test_whatever_a_model_says_can_be_kept(self) -> None:
        """Text with half a surrogate pair, NUL and 2 MB comes back as it was, in turns, arguments, results and lists."""
        async with self.world() as w:
            ref = await w.start()
            turn = w.planned(ref, {ODD: ODD, "number": 10**30, "none": None}, text=ODD * 50_000)
            call = replace(turn.calls[0], call_id=ODD, raw_arguments=ODD, summary=ODD, gated=False)
            turn = replace(turn, calls=(call,), output={"text": ODD})
            assert await w.index.record_turn(turn) == turn
            assert (await w.index.settle(call.step_key, result=ODD)).result == ODD
            told = await self._conversation(w, node="next", path="next.0", input_from="support-agent")
            assert told.input == {"text": ODD}
            (kept,) = (await self._conversation(w)).turns
            assert kept == replace(turn, calls=(replace(call, result=ODD),))

    async def _conversation(
        self,
        w: World,
        root: str = "root",
        *,
        node: str = "support-agent",
        path: str | None = None,
        input_from: str | None = None,
    ) -> Conversation:
        return await w.index.conversation(
            HolderRef(root=ExecutionId(root), holder=HolderId(root)),
            ExecutionId(root),
            node,
            0,
            path=Path(path or f"{node}.0"),
            input_from=input_from,
        )
