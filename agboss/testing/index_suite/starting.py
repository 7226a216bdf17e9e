"""T0: trees, threads and their owners."""

import asyncio

from agboss.decisions.keys import content_hash
from agboss.domain.events import ExecutionStarted
from agboss.domain.ids import ContentHash, ThreadId
from agboss.errors import ThreadBusyError, ThreadOwnerError
from agboss.testing.index_suite.world import ACME, OTHER, PLAN, Suite, raises


class Starting(Suite):
    """How a tree begins."""

    async def test_a_started_tree_is_live(self) -> None:
        """T0: the tree is live and moves, its frame and its plan are kept, and observers will be told of the start."""
        async with self.world() as w:
            ref = await w.start("r1", thread="t1", owner="customer-1")
            live = await w.index.live_tree(ACME, ThreadId("t1"))
            assert live is not None and live.root == "r1" and live.workflow_id == "app.r1" and not live.fenced
            assert live.owner == "customer-1" and live.started_at == w.clock.now()
            progress = await w.progress(ref)
            assert (progress.ended, progress.at_rest, progress.rest_no, progress.pending) == (False, False, 0, ())
            assert progress.frame.input == {"text": "hello"} and progress.frame.fields == {"trace": 1}
            assert await w.index.get_blob(content_hash(PLAN)) == PLAN
            (event,) = await w.events()
            assert isinstance(event, ExecutionStarted)
            assert (event.number, event.execution_id, event.owner_id, event.at) == (1, "r1", "customer-1", w.clock.now())

    async def test_the_same_start_again_changes_nothing(self) -> None:
        """T0 is idempotent: no error, no second event, no change."""
        async with self.world() as w:
            ref = await w.start("r1", owner="customer-1")
            seq = await w.seq(ref)
            await w.start("r1", owner="customer-1")
            assert await w.seq(ref) == seq and len(await w.events()) == 1

    async def test_a_thread_has_one_live_tree(self) -> None:
        """A thread with a live tree is busy, and the error names the execution; other threads and tenants are free."""
        async with self.world() as w:
            ref = await w.start("r1", thread="t1")
            with raises(ThreadBusyError) as caught:
                await w.start("r2", thread="t1")
            assert isinstance(caught[0], ThreadBusyError) and caught[0].data["execution_id"] == "r1"
            await w.start("r3", thread="t2")
            await w.start("r4", thread="t1", tenant=OTHER)
            await w.end(ref)
            await w.start("r5", thread="t1")

    async def test_of_many_starts_at_once_one_wins(self) -> None:
        """T0 is atomic: of twenty starts of one thread at once one succeeds."""
        async with self.world() as w:
            starts = (w.start(f"r{number}", thread="t1") for number in range(20))
            results = await asyncio.gather(*starts, return_exceptions=True)
            assert sum(isinstance(result, ThreadBusyError) for result in results) == 19

    async def test_a_thread_belongs_to_its_first_owner(self) -> None:
        """An owned thread refuses another owner, or none, whether busy or not; one without owner gets the first named."""
        async with self.world() as w:
            ref = await w.start("r1", thread="t1")
            assert await w.index.thread_owner(ACME, ThreadId("t1")) is None
            await w.end(ref)
            ref = await w.start("r2", thread="t1", owner="customer-1")
            for owner in ("customer-2", None):
                with raises(ThreadOwnerError):
                    await w.start("r3", thread="t1", owner=owner)
            await w.end(ref)
            with raises(ThreadOwnerError):
                await w.start("r3", thread="t1", owner="customer-2")
            await w.start("r3", thread="t1", owner="customer-1")
            assert await w.index.thread_owner(ACME, ThreadId("t1")) == "customer-1"
            assert await w.index.thread_owner(OTHER, ThreadId("t1")) is None

    async def test_a_refused_start_leaves_nothing(self) -> None:
        """A transaction happens whole or not at all."""
        async with self.world() as w:
            await w.start("r1", thread="t1", owner="customer-1")
            with raises(ThreadBusyError):
                await w.start("r2", thread="t1", owner="customer-1")
            assert await w.index.progress(ACME, (await w.start("r1", thread="t1", owner="customer-1")).root) is not None
            assert len(await w.events()) == 1

    async def test_blobs_are_kept_by_their_hash(self) -> None:
        """Equal bytes are kept once, under their hash; an unknown hash is a KeyError."""
        async with self.world() as w:
            name = await w.index.put_blob(b"\x00payload")
            assert name == content_hash(b"\x00payload") == await w.index.put_blob(b"\x00payload")
            assert await w.index.get_blob(name) == b"\x00payload"
            with raises(KeyError):
                await w.index.get_blob(ContentHash("0" * 64))
