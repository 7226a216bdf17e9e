"""What the sweep and the outbox find."""

import asyncio
from datetime import timedelta

from agboss.domain.ids import HolderId
from agboss.domain.pauses import PauseStatus
from agboss.errors import NotPausedError
from agboss.testing.index_suite.world import ACME, Suite, raises

DAY = 24 * 3_600.0


class Sweeping(Suite):
    """Nudges, lost holders, retention, leases, the outbox."""

    async def test_an_untaken_answer_is_signalled_again(self) -> None:
        """S244, C04: after 30 s, then after 30 s × 2ⁿ, at most an hour; once it was taken, never again."""
        async with self.world() as w:
            asked = await w.asked()
            resolved = await w.resolve(asked)
            waits = [30.0, 60.0, 120.0, 240.0, 480.0, 960.0, 1_920.0, 3_600.0, 3_600.0]
            for wait in waits:
                w.clock.advance(wait - 0.001)
                assert await w.index.due_nudges(limit=10) == ()
                w.clock.advance(0.001)
                (nudge,) = await w.index.due_nudges(limit=10)
                assert (nudge.pause_key, nudge.workflow_id) == (resolved.pause_key, resolved.workflow_id)
            await w.taken(asked)
            w.clock.advance(DAY)
            assert await w.index.due_nudges(limit=10) == ()

    async def test_nudges_come_in_pages(self) -> None:
        """A page takes those due longest; each is put off, so that the next page has the others."""
        async with self.world() as w:
            for number in range(5):
                await w.resolve(await w.asked(f"r{number}"))
                w.clock.advance(0.001)
            w.clock.advance(30)
            pages = [await w.index.due_nudges(limit=2) for _ in range(4)]
            assert [[str(nudge.workflow_id) for nudge in page] for page in pages] == [
                ["app.r0", "app.r1"],
                ["app.r2", "app.r3"],
                ["app.r4"],
                [],
            ]

    async def test_lost_holders_can_be_looked_for(self) -> None:
        """D09: holders of live trees that are old enough, by id, in pages; with their fences."""
        async with self.world() as w:
            refs = [await w.start(f"r{number}") for number in range(4)]
            w.clock.advance(60)
            young = await w.start("young")
            await w.end(refs[1])
            await w.fence(refs[2], cancel=True)
            first = await w.index.live_holders(older_than_seconds=60, limit=2)
            assert [(holder.ref, holder.workflow_id, holder.fenced) for holder in first] == [
                (refs[0], "app.r0", False),
                (refs[2], "app.r2", True),
            ]
            rest = await w.index.live_holders(older_than_seconds=60, limit=2, after=first[-1].ref.holder)
            assert [holder.ref for holder in rest] == [refs[3]]
            assert young.holder not in [holder.ref.holder for holder in first + rest]
            assert await w.index.live_holders(older_than_seconds=60, limit=2, after=HolderId("zzz")) == ()

    async def test_retention_removes_what_is_long_closed(self) -> None:
        """S161, S164, S165, R21: from the latest of resolved, taken and closed; before it NotPausedError, then unknown."""
        async with self.world() as w:
            asked = await w.asked()
            w.clock.advance(DAY)
            await w.resolve(asked)
            w.clock.advance(DAY)
            await w.taken(asked)
            taken_at = w.clock.now()
            await w.index.settle(asked.key, result="done")
            w.clock.advance(DAY)
            assert await w.index.delete_resolved_before(taken_at, limit=10) == 0
            with raises(NotPausedError):
                await w.resolve(asked)
            before = await w.index.entries(ACME, asked.ref.root)
            assert await w.index.delete_resolved_before(taken_at + timedelta(microseconds=1), limit=10) == 1
            assert await w.index.find(ACME, asked.pause_id) is None
            assert await w.index.entries(ACME, asked.ref.root) == before != ()

    async def test_retention_never_removes_what_is_open(self) -> None:
        """S166, S167: a waiting question and an untaken answer stay, however old, and still work."""
        async with self.world() as w:
            waiting, answered = await w.asked("r1"), await w.asked("r2")
            await w.resolve(answered)
            w.clock.advance(400 * DAY)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 0
            await w.resolve(waiting)
            assert (await w.taken(waiting)).decision == (await w.taken(answered)).decision == {"approved": True}

    async def test_retention_waits_for_the_call_and_for_the_withdraw(self) -> None:
        """Protocol, Retention: a taken answer whose call isn't settled stays while its tree lives; so does a question
        that is still to be taken back."""
        async with self.world() as w:
            unsettled, owed = await w.asked("r1"), await w.asked("r2")
            await w.resolve(unsettled)
            await w.taken(unsettled)
            await w.end(owed.ref, "failed")
            w.clock.advance(DAY)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 0
            await w.end(unsettled.ref, "failed")
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 1
            claim = await w.index.claim_withdraw(owed.key, lease_seconds=60)
            assert claim is not None
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 0
            await w.index.withdraw_told(owed.key, claim.claim)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=10) == 1

    async def test_retention_is_not_held_up_by_what_must_stay(self) -> None:
        """S163: with more old unsettled records than the limit, the others are removed all the same."""
        async with self.world() as w:
            ref = await w.start("r1")
            for key in await w.turn(ref, *({"amount": n} for n in range(5))):
                asked = await w.ask(ref, key)
                await w.resolve(asked)
                await w.taken(asked)
            w.clock.advance(1)
            done = await w.asked("r2")
            await w.resolve(done)
            await w.taken(done)
            await w.end(done.ref)
            w.clock.advance(DAY)
            assert await w.index.delete_resolved_before(w.clock.now(), limit=2) == 1
            assert await w.index.find(ACME, done.pause_id) is None

    async def test_retention_is_bounded(self) -> None:
        """S163: at most ``limit`` a call, the oldest first."""
        async with self.world() as w:
            closed = [await w.asked(f"r{number}") for number in range(5)]
            for asked in closed:
                await w.resolve(asked)
                await w.taken(asked)
                await w.end(asked.ref)
                w.clock.advance(1)
            removed = [await w.index.delete_resolved_before(w.clock.now(), limit=2) for _ in range(4)]
            assert removed == [2, 2, 1, 0]

    async def test_a_lease_has_one_holder(self) -> None:
        """S245: of ten that ask at once one gets it; it may renew; another gets it when its time is over."""
        async with self.world() as w:
            asked = await asyncio.gather(*(w.index.lease("sweep", f"p{n}", seconds=30) for n in range(10)))
            assert sum(asked) == 1
            holder = f"p{asked.index(True)}"
            w.clock.advance(29)
            assert await w.index.lease("sweep", holder, seconds=30)
            w.clock.advance(29.999)
            assert not await w.index.lease("sweep", "another", seconds=30)
            assert await w.index.lease("events", "another", seconds=30)
            w.clock.advance(0.001)
            assert await w.index.lease("sweep", "another", seconds=30)

    async def test_events_wait_until_they_are_delivered(self) -> None:
        """S038: numbered from 1 without gaps within a tree, in order, under one execution id, until marked."""
        async with self.world() as w:
            asked = await w.asked("r1")
            await w.rest(asked.ref, 1)
            await w.resolve(asked)
            await w.taken(asked)
            await w.end(asked.ref)
            await w.start("r2")
            waiting = await w.index.undelivered(limit=100)
            mine = [event for event in waiting if event.root == "r1"]
            assert [event.number for event in mine] == [1, 2, 3, 4]
            assert [event.event.kind for event in mine] == ["start", "pause", "resume", "end"]
            assert {event.event.execution_id for event in mine} == {"r1"} and len(waiting) == 5
            for _ in range(2):
                await w.index.delivered(mine[0].root, 1)
            assert [event.number for event in await w.index.undelivered(limit=100) if event.root == "r1"] == [2, 3, 4]
            assert len(await w.index.undelivered(limit=2)) == 2

    async def test_a_busy_tree_does_not_keep_others_events_back(self) -> None:
        """A10: pages are filled by age, not by name, so that no tree's observers wait for another's."""
        async with self.world() as w:
            await w.start("zzz")
            w.clock.advance(0.001)
            for number in range(10):
                await w.start(f"aaa-{number}")
            (oldest,) = await w.index.undelivered(limit=1)
            assert oldest.root == "zzz"

    async def test_a_record_is_found_until_it_is_removed(self) -> None:
        """E03: closed records answer NotPausedError within the window, with their status."""
        async with self.world() as w:
            asked = await w.asked()
            await w.end(asked.ref, "failed")
            w.clock.advance(DAY)
            assert (await w.record(asked)).status is PauseStatus.CANCELLED
