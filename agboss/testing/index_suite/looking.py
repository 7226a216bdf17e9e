"""Reads for callers: one pause, one tree, lists, the permanent history, and waiting for a change."""

import asyncio

from agboss.domain.ids import ExecutionId, OwnerId, ThreadId
from agboss.domain.pauses import PauseAnswerer, PauseResolution
from agboss.testing.index_suite.world import ACME, OTHER, Asked, Suite, World


class Looking(Suite):
    """What is shown, and to whom."""

    async def test_no_look_alike_finds_a_pause(self) -> None:
        """A03, S043, S044: unknown, foreign, upper-cased, padded and malformed ids all find nothing, without an error."""
        async with self.world() as w:
            asked = await w.asked()
            real = asked.pause_id
            wrong = (real.upper(), f" {real}", f"{real}\n", real[:-1], asked.key, "", "\x00", "\ud800", "é" * 1_000_000)
            for pause_id in wrong:
                if pause_id != real:
                    assert await w.index.find(ACME, pause_id) is None
            assert await w.index.find(OTHER, real) is None
            assert (await w.record(asked)).step_key == asked.key

    async def test_a_tenant_sees_its_own_trees_only(self) -> None:
        """Invariant 9, A10: another tenant's tree, thread, list and history are not there."""
        async with self.world() as w:
            asked = await w.asked(thread="t1", owner="customer-1")
            await w.resolve(asked)
            assert await w.index.progress(OTHER, asked.ref.root) is None
            assert await w.index.live_tree(OTHER, ThreadId("t1")) is None
            assert await w.index.pending(OTHER) == ()
            assert await w.index.entries(OTHER, asked.ref.root) == ()
            assert await w.index.progress(ACME, ExecutionId("nowhere")) is None

    async def test_ids_are_shown_to_owners_only(self) -> None:
        """S019, S129, R32: a THREAD_OWNER pause's id in the tree's view and the owner's list; a CHANNEL pause's nowhere."""
        async with self.world() as w:
            ref = await w.start(owner="customer-1")
            one, two = await w.turn(ref, {"amount": 1}, {"amount": 2})
            mine = await w.ask(ref, one, answered_by=PauseAnswerer.THREAD_OWNER)
            await w.ask(ref, two)
            progress = await w.progress(ref)
            assert [pause.pause_id for pause in progress.pending] == [mine.pause_id, None]
            assert [pause.answered_by for pause in progress.pending] == [PauseAnswerer.THREAD_OWNER, PauseAnswerer.CHANNEL]
            assert [listed.pause.pause_id for listed in await w.index.pending(ACME)] == [None, None]
            owners = await w.index.pending(ACME, owner=OwnerId("customer-1"))
            assert [listed.pause.pause_id for listed in owners] == [mine.pause_id, None]
            assert await w.index.pending(ACME, owner=OwnerId("customer-2")) == ()

    async def test_a_listed_pause_is_masked(self) -> None:
        """S021, S022, S025, S026: agent, channel, masked arguments and summary; never the real arguments."""
        async with self.world() as w:
            asked = await w.asked()
            (listed,) = await w.index.pending(ACME)
            assert (listed.thread, listed.execution, listed.workflow) == ("thread-of-root", "root", "refund-workflow")
            pause = listed.pause
            assert (pause.agent, pause.channel, pause.asked_at) == (
                "support-agent",
                "refund-approval-channel",
                w.clock.now(),
            )
            assert pause.ask.arguments == pause.ask.masked_arguments == {"amount": "••••••"}
            assert pause.child_execution_id is None and pause.item_index is None and pause.item_path == ()
            assert (await w.progress(asked.ref)).pending == (pause,)

    async def test_what_is_not_waiting_is_not_listed(self) -> None:
        """S018, R32, E03: neither unsent nor answered nor closed questions."""
        async with self.world() as w:
            ref = await w.start()
            unsent, answered, closed, waiting = await w.turn(ref, *({"amount": n} for n in range(4)))
            await w.opened(ref, unsent)
            await w.resolve(await w.ask(ref, answered))
            await w.opened(ref, closed)
            await w.sent(ref, closed, "failed")
            await w.ask(ref, waiting)
            assert [pause.ask.call_id for pause in (await w.progress(ref)).pending] == ["call_3"]
            assert [listed.pause.ask.call_id for listed in await w.index.pending(ACME)] == ["call_3"]

    async def test_a_list_is_oldest_first_and_bounded(self) -> None:
        """R32: by age; the limit counts what is shown, also where all were asked at one instant and most are others'."""
        async with self.world() as w:
            for number in range(30):
                await w.asked(f"r{number:02}", owner="customer-1" if number % 10 == 9 else "customer-2")
            w.clock.advance(1)
            last = await w.asked("newest", owner="customer-1")
            everyone = await w.index.pending(ACME, limit=7)
            assert [listed.execution for listed in everyone] == [f"r{number:02}" for number in range(7)]
            mine = await w.index.pending(ACME, owner=OwnerId("customer-1"), limit=4)
            assert [listed.execution for listed in mine] == ["r09", "r19", "r29", last.ref.root]
            two = await w.index.pending(ACME, owner=OwnerId("customer-1"), limit=2)
            assert [listed.execution for listed in two] == ["r09", "r19"]

    async def test_the_history_is_in_the_order_of_asking(self) -> None:
        """S169 to S180: one entry a resolved pause, written when it closed; none for what still waits."""
        async with self.world() as w:
            ref = await w.start(owner="customer-1")
            keys = await w.turn(ref, *({"amount": n} for n in range(5)))
            asked = [await w.ask(ref, key) for key in keys[:2]]
            own = await w.ask(ref, keys[2], answered_by=PauseAnswerer.THREAD_OWNER)
            opened = await w.opened(ref, keys[3])
            waiting = await w.ask(ref, keys[4])
            w.clock.advance(10)
            await w.resolve(own, approved=False)
            await w.sent(ref, keys[3], "decided", attempt=opened.attempt)
            await w.resolve(asked[0], reason="secret")
            entries = await w.index.entries(ACME, ref.root)
            assert [entry.step.call_id for entry in entries] == ["call_0", "call_2", "call_3"]
            assert [entry.pause_id for entry in entries] == [None, own.pause_id, None]
            assert [entry.resolution for entry in entries] == [
                PauseResolution.REPLIED,
                PauseResolution.REPLIED,
                PauseResolution.DECIDED,
            ]
            assert entries[0].decision == {"approved": True} and entries[0].acted_on
            assert (entries[0].role, entries[0].execution_id) == ("refund-approval-channel", "root")
            step = entries[0].step
            assert (step.agent, step.node, step.visit, step.tool) == ("support-agent", "support-agent", 0, "refund-tool")
            assert entries[0].resolved_at == w.clock.now() and (w.clock.now() - entries[0].asked_at).total_seconds() == 10
            await w.end(ref, "failed")
            assert len(await w.index.entries(ACME, ref.root)) == 5
            assert (await w.record(waiting)).resolution is PauseResolution.CANCELLED

    async def test_a_waiting_caller_is_woken(self) -> None:
        """Protocol, Waiting: a change that was made before or while one waits ends the wait; without one, the timeout."""
        async with self.world() as w:
            asked = await w.asked()
            seq = await w.seq(asked.ref)
            assert await w.index.changed(asked.ref.root, seen=seq - 1, timeout=60) == seq
            assert await w.index.changed(asked.ref.root, seen=seq, timeout=0.01) == seq
            waits = [asyncio.create_task(w.index.changed(asked.ref.root, seen=seq, timeout=60)) for _ in range(5)]
            await asyncio.sleep(0)
            await w.resolve(asked)
            assert all(found > seq for found in await asyncio.wait_for(asyncio.gather(*waits), 30))

    async def test_a_caller_may_wait_for_a_settled_tree(self) -> None:
        """Protocol, Waiting: what moves a tree doesn't end such a wait; its rest does, and its end; a settled tree that was
        seen as it is doesn't either."""
        async with self.world() as w:
            asked = await w.asked()
            root, seq = asked.ref.root, await w.seq(asked.ref)
            moving = asyncio.create_task(w.index.changed(root, seen=seq, timeout=60, settled=True))
            await asyncio.sleep(0)
            await w.resolve(asked)
            await w.taken(asked)
            await asyncio.sleep(0.05)
            assert not moving.done()
            assert await w.index.changed(root, seen=seq, timeout=0.01, settled=True) > seq
            (other,) = await w.turn(asked.ref, {"amount": 2}, iteration=1)
            await w.opened(asked.ref, other)
            await w.sent(asked.ref, other, rest=3)
            assert (await w.progress(asked.ref)).at_rest
            rested = await asyncio.wait_for(moving, 30)
            assert await w.index.changed(root, seen=seq, timeout=60, settled=True) == rested
            ending = asyncio.create_task(w.index.changed(root, seen=rested, timeout=60, settled=True))
            await asyncio.sleep(0.05)
            assert not ending.done()
            await w.end(asked.ref)
            assert await asyncio.wait_for(ending, 30) > rested

    async def test_a_cancelled_wait_harms_nobody(self) -> None:
        """A caller that gives up leaves the others waiting, and woken."""
        async with self.world() as w:
            asked = await w.asked()
            seq = await w.seq(asked.ref)
            one, other = [asyncio.create_task(w.index.changed(asked.ref.root, seen=seq, timeout=60)) for _ in range(2)]
            await asyncio.sleep(0)
            one.cancel()
            await w.resolve(asked)
            assert await asyncio.wait_for(other, 30) > seq
            assert one.cancelled() or await asyncio.gather(one, return_exceptions=True)

    async def test_progress_is_of_one_moment(self) -> None:
        """S032: while answers come in, no look shows a rest and a missing list, or an end that still waits."""
        async with self.world() as w:
            asked = [await self._resting(w, f"r{number}") for number in range(5)]

            async def answer(one: Asked) -> None:
                await w.resolve(one)
                await w.taken(one)
                await w.end(one.ref)

            async def look(one: Asked) -> None:
                while not (progress := await w.progress(one.ref, one.key)).ended:
                    assert not progress.at_rest or progress.pending
                    assert not (progress.at_rest and progress.untaken)
                    await asyncio.sleep(0)
                assert not progress.at_rest and progress.pending == ()

            await asyncio.gather(*(look(one) for one in asked), *(answer(one) for one in asked))

    async def _resting(self, w: World, root: str) -> Asked:
        asked = await w.asked(root)
        await w.rest(asked.ref, 1)
        return asked
