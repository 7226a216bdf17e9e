"""The writer: many transactions in one commit, and whatever happens, nobody waits for ever."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from agboss.domain.ids import StepKey, ThreadId
from agboss.domain.pauses import PauseStatus
from agboss.domain.rests import HolderRef
from agboss.errors import PauseIndexError, ThreadBusyError, UnknownPauseError
from agboss.stores.migrate import migrate
from agboss.stores.rows import LeaseRow
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.stores.sqlite.writer import BatchRunner
from agboss.stores.transactions.unit import Unit
from agboss.testing.index_suite.world import ACME, SettableClock, World


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def index(tmp_path: Path, clock: SettableClock) -> SqlitePauseIndex:
    return SqlitePauseIndex(migrate(f"sqlite:///{tmp_path / 'index.db'}"), clock=clock)


def _spoil(unit: Unit) -> None:
    """Writes, and then fails."""
    unit.rows.insert(LeaseRow(name="spoiled", holder="x", until=1))
    raise ValueError("after it had written")


def _contradict(unit: Unit) -> None:
    """What no transaction of ours does: a row that is there already."""
    unit.rows.insert(LeaseRow(name="twice", holder="x", until=1))
    unit.rows.insert(LeaseRow(name="twice", holder="x", until=1))


async def test_many_transactions_share_a_commit(
    index: SqlitePauseIndex, clock: SettableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked while a commit is under way shares the next one."""
    batches: list[int] = []
    many = BatchRunner.many

    def counted(self: BatchRunner, jobs: list[Any]) -> None:
        batches.append(len(jobs))
        many(self, jobs)

    monkeypatch.setattr(BatchRunner, "many", counted)
    world = World(index, clock)
    await asyncio.gather(*(world.start(f"r{number}") for number in range(100)))
    assert sum(batches) == 100 and len(batches) < 50
    await index.close()


async def test_a_failed_transaction_leaves_its_neighbours(index: SqlitePauseIndex, clock: SettableClock) -> None:
    """Of transactions in one commit, one that fails after it has written is undone, alone; the others stand."""
    world = World(index, clock)
    results = await asyncio.gather(
        world.start("r1"),
        index._write(_spoil),
        world.start("r2"),
        index._write(_contradict),
        world.start("r3", thread="thread-of-r1"),
        world.resolve(StepKey("0" * 64)),
        world.start("r4"),
        return_exceptions=True,
    )
    kinds = [type(result) for result in results]
    assert kinds == [HolderRef, ValueError, HolderRef, PauseIndexError, ThreadBusyError, UnknownPauseError, HolderRef]
    for root in ("r1", "r2", "r4"):
        assert await index.live_tree(ACME, ThreadId(f"thread-of-{root}")) is not None
    assert await index.lease("spoiled", "me", seconds=1) and await index.lease("twice", "me", seconds=1)
    await index.close()


async def test_every_caller_hears_of_a_failure(index: SqlitePauseIndex, clock: SettableClock) -> None:
    """A fault that nobody thought of reaches all callers of its commit, and the writer lives on."""
    world = World(index, clock)
    await world.start("r1")

    def broken() -> Any:
        raise RuntimeError("no clock")

    now, clock.now = clock.now, broken  # type: ignore[method-assign]
    results = await asyncio.gather(*(world.start(f"s{number}") for number in range(5)), return_exceptions=True)
    clock.now = now  # type: ignore[method-assign]
    assert all(isinstance(result, RuntimeError) for result in results)
    await world.start("r2")
    await index.close()


async def test_cancelled_callers_break_nothing(index: SqlitePauseIndex, clock: SettableClock) -> None:
    """A caller that gives up neither undoes its transaction nor harms the writer."""
    world = World(index, clock)
    tasks = [asyncio.create_task(world.start(f"r{number}")) for number in range(50)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await world.start("last")
    for number in range(50):
        assert await index.live_tree(ACME, ThreadId(f"thread-of-r{number}")) is not None
    await index.close()


def test_a_loop_that_is_gone_harms_nobody(index: SqlitePauseIndex, clock: SettableClock) -> None:
    """A caller whose event loop has closed before its commit leaves the writer to those of other loops."""
    world = World(index, clock)

    async def abandon() -> None:
        wait = asyncio.create_task(index.changed((await world.start("r1")).root, seen=99, timeout=60))
        write = asyncio.create_task(world.start("r2"))
        await asyncio.sleep(0)
        wait.cancel()
        write.cancel()

    async def go_on() -> None:
        await asyncio.gather(*(world.start(f"s{number}") for number in range(20)))
        await index.close()

    asyncio.run(abandon())
    asyncio.run(go_on())


@pytest.mark.parametrize("inline", [False, True])
def test_several_loops_use_one_index(tmp_path: Path, clock: SettableClock, inline: bool) -> None:
    """User code runs on a loop and thread of its own: its answers go through the same index at the same time."""
    path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
    index = SqlitePauseIndex(path, clock=clock, inline=inline)
    world = World(index, clock)
    failed: list[BaseException] = []

    async def play(name: str) -> None:
        for number in range(20):
            asked = await world.asked(f"{name}-{number}")
            await world.resolve(asked)
            assert (await world.record(asked)).status is PauseStatus.RESOLVED
            await world.taken(asked)

    def run(name: str) -> None:
        try:
            asyncio.run(play(name))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(f"loop{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(index.close())
    assert not failed


async def test_closing_finishes_what_was_accepted(index: SqlitePauseIndex, clock: SettableClock) -> None:
    """Everything asked before ``close`` is done; everything after it is a clear error; closing again is fine."""
    world = World(index, clock)
    tasks = [asyncio.create_task(world.start(f"r{number}")) for number in range(50)]
    await asyncio.sleep(0)
    await asyncio.gather(index.close(), index.close())
    assert [type(result) for result in await asyncio.gather(*tasks)] == [HolderRef] * 50
    for call in (world.start("late"), index.live_tree(ACME, ThreadId("t")), index.check()):
        with pytest.raises(PauseIndexError, match="closed"):
            await call
    await index.close()


async def test_text_that_no_database_keeps(index: SqlitePauseIndex, clock: SettableClock) -> None:
    """A name with half a surrogate pair is a clear error without the name in it, for reads and for writes."""
    world = World(index, clock)
    for call in (world.start("r1", thread="secret\ud800"), index.live_tree(ACME, ThreadId("secret\ud800"))):
        with pytest.raises(PauseIndexError, match="surrogate") as caught:
            await call
        assert "secret" not in str(caught.value)
    await index.close()
