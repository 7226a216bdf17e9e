"""What a SQLite index does when its file is missing, damaged, locked or full, and with several processes."""

import asyncio
import multiprocessing
import os
import sqlite3
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agboss.clocks import SystemClock
from agboss.decisions.keys import content_hash
from agboss.domain.ids import ExecutionId, TenantId, ThreadId, WorkflowId
from agboss.errors import (
    IndexMissingError,
    IndexSchemaError,
    IndexUnavailableError,
    PauseIndexError,
    ThreadBusyError,
    ThreadOwnerError,
)
from agboss.ports.pause_index import StartTree
from agboss.stores import open_index
from agboss.stores.migrate import migrate
from agboss.stores.schema import metadata
from agboss.stores.sqlite.index import SqlitePauseIndex


def tree(root: str, thread: str = "t", owner: str | None = None) -> StartTree:
    return StartTree(
        root=ExecutionId(root),
        tenant=TenantId("acme"),
        thread=ThreadId(thread),
        owner=owner,  # type: ignore[arg-type]
        workflow="w",
        workflow_id=WorkflowId(f"w.{root}"),
        plan=b"{}",
        plan_hash=content_hash(b"{}"),
        input={},
        fields={},
    )


@pytest.fixture
def url(tmp_path: Path) -> str:
    migrate(f"sqlite:///{tmp_path / 'index.db'}")
    return f"sqlite:///{tmp_path / 'index.db'}"


async def test_a_missing_file_is_never_made_silently(tmp_path: Path) -> None:
    """IndexMissingError names the remedy, and no second index appears."""
    index = open_index(f"sqlite:///{tmp_path / 'none.db'}", clock=SystemClock())
    with pytest.raises(IndexMissingError, match="agboss migrate"):
        await index.check()
    await index.close()
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240


async def test_a_vanished_file_is_noticed(url: str, tmp_path: Path) -> None:
    """A file removed or replaced under an open index is IndexMissingError, for reads and for writes."""
    index = open_index(url, clock=SystemClock())
    await index.start(tree("r1"))
    (tmp_path / "index.db").rename(tmp_path / "moved.db")
    migrate(url)
    with pytest.raises(IndexMissingError):
        await index.find(TenantId("acme"), "x")
    with pytest.raises(IndexMissingError):
        await index.start(tree("r2", "t2"))
    await index.close()


async def test_another_schema_is_refused(url: str, tmp_path: Path) -> None:
    """IndexSchemaError says what to run; a database of somebody else's is none of ours."""
    with sqlite3.connect(tmp_path / "index.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '0000'")
    index = open_index(url, clock=SystemClock())
    with pytest.raises(IndexSchemaError, match="agboss migrate"):
        await index.check()
    await index.close()


async def test_a_damaged_file(tmp_path: Path) -> None:
    """A file that is no database is unavailable, with the remedy."""
    (tmp_path / "bad.db").write_bytes(b"this is no database at all" * 100)
    index = open_index(f"sqlite:///{tmp_path / 'bad.db'}", clock=SystemClock())
    with pytest.raises(IndexUnavailableError, match="backup"):
        await index.check()
    await index.close()


async def test_a_full_disk_loses_nothing_acknowledged(url: str) -> None:
    """A write that doesn't fit is refused as unavailable; what was acknowledged stays, and smaller writes go on."""
    index = SqlitePauseIndex(url.removeprefix("sqlite:///"), clock=SystemClock())
    await index.start(tree("r1"))
    connection = index._runner._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(IndexUnavailableError, match="full"):
        await index.put_blob(b"x" * 1_000_000)
    assert await index.progress(TenantId("acme"), ExecutionId("r1")) is not None
    connection.execute("PRAGMA max_page_count = 1000000")
    await index.start(tree("r2", "t2"))
    await index.close()


async def test_a_locked_file(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds the lock for too long: unavailable, try again; reads go on; afterwards all is well."""
    monkeypatch.setattr("agboss.stores.sqlite.file.BUSY_TIMEOUT_SECONDS", 0.05)
    index = open_index(url, clock=SystemClock())
    await index.start(tree("r1"))
    other = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(IndexUnavailableError, match="locked"):
        await index.start(tree("r2", "t2"))
    assert await index.progress(TenantId("acme"), ExecutionId("r1")) is not None
    other.execute("ROLLBACK")
    await index.start(tree("r2", "t2"))
    other.close()
    await index.close()


def _write_as_nobody(url: str, told: "Connection") -> None:
    async def run() -> list[str]:
        index = open_index(url, clock=SystemClock())
        found = []
        for attempt in (index.start(tree("r9", "t9")), index.check()):
            try:
                await attempt
            except IndexUnavailableError as error:
                found.append(str(error))
        return found

    if os.geteuid() == 0:
        os.setuid(65_534)  # root may write anything
    told.send(asyncio.run(run()))


def test_a_read_only_file() -> None:
    """A file or a folder without permission is unavailable, with the remedy, and nothing is made."""
    # Not in pytest's own folder, which nobody else may enter.
    with TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'index.db'}"
        migrate(url).chmod(0o444)
        folder.chmod(0o555)
        before = sorted(path.name for path in folder.iterdir())
        context = multiprocessing.get_context("spawn")
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=_write_as_nobody, args=(url, send))
        process.start()
        told = receive.recv()
        process.join()
        after = sorted(path.name for path in folder.iterdir())
        folder.chmod(0o755)
    assert told and all("permissions" in text for text in told)
    assert after == before


async def test_a_transaction_that_fails_leaves_its_neighbours(url: str) -> None:
    """Group commit: of many transactions at once, only the refused ones fail."""
    index = open_index(url, clock=SystemClock())
    starts = [index.start(tree(f"r{n}", thread=f"t{n // 2}")) for n in range(100)]
    results = await asyncio.gather(*starts, return_exceptions=True)
    assert sum(isinstance(result, ThreadBusyError) for result in results) == 50
    assert results.count(None) == 50
    await index.close()


async def test_a_cancelled_caller_breaks_nothing(url: str) -> None:
    """The writer finishes what it accepted, and serves the next."""
    index = open_index(url, clock=SystemClock())
    task = asyncio.create_task(index.start(tree("r1")))
    await asyncio.sleep(0)
    task.cancel()
    await index.start(tree("r2", "t2"))
    assert await index.live_tree(TenantId("acme"), ThreadId("t2")) is not None
    await index.close()
    with pytest.raises(PauseIndexError, match="closed"):
        await index.start(tree("r3", "t3"))


async def test_threads_and_their_owners(url: str) -> None:
    """T0, S063: the same start twice changes nothing; a live thread is busy; an owned one refuses another owner or none."""
    index = open_index(url, clock=SystemClock())
    await index.start(tree("r1", owner="o1"))
    await index.start(tree("r1", owner="o1"))
    with pytest.raises(ThreadBusyError):
        await index.start(tree("r2", owner="o1"))
    for owner in ("o2", None):
        with pytest.raises(ThreadOwnerError):
            await index.start(tree("r3", owner=owner))
    await index.close()


def test_the_migrated_schema_is_the_described_one(url: str) -> None:
    """Every table and index that the statements are built for is there, with its columns."""
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        for table in metadata().sorted_tables:
            found = {row[1] for row in connection.execute(f"PRAGMA table_info({table.name})")}
            assert found == {column.name for column in table.columns}, table.name
            indexes = {row[1] for row in connection.execute(f"PRAGMA index_list({table.name})")}
            assert {index.name for index in table.indexes} <= indexes


def _start_many(url: str, name: str, won: "multiprocessing.Queue[int]") -> None:
    async def run() -> int:
        index = open_index(url, clock=SystemClock())
        results = await asyncio.gather(
            *(index.start(tree(f"{name}-{n}", thread=f"t{n}")) for n in range(100)), return_exceptions=True
        )
        await index.close()
        assert all(result is None or isinstance(result, ThreadBusyError) for result in results)
        return results.count(None)

    won.put(asyncio.run(run()))


def test_two_processes_have_one_winner_each(url: str) -> None:
    """Invariant 1's ground: of two processes that write the same at once, exactly one succeeds, 100 times."""
    context = multiprocessing.get_context("spawn")
    won: multiprocessing.Queue[int] = context.Queue()
    processes = [context.Process(target=_start_many, args=(url, name, won)) for name in ("a", "b")]
    for process in processes:
        process.start()
    assert won.get(timeout=50) + won.get(timeout=50) == 100
    for process in processes:
        process.join()
