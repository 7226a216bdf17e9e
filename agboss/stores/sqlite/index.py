"""The pause index in a SQLite file: for one machine, any number of processes."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate

from agboss.domain.ids import ExecutionId
from agboss.errors import PauseIndexError
from agboss.ports.clock import Clock
from agboss.stores.rows import TreeRow
from agboss.stores.sqlite.file import IndexFile
from agboss.stores.sqlite.rows import SqliteRows
from agboss.stores.sqlite.writer import BatchRunner, WriterThread
from agboss.stores.transactional import Arguments, Result, TransactionalIndex
from agboss.stores.transactions.unit import Unit, change_of, micros
from agboss.stores.wakeups import Change, Wakeups

_FIRST_LOOK_SECONDS = 0.01
_LONGEST_LOOK_SECONDS = 0.1
"""Another process's change is seen by looking, ever less often."""


class SqlitePauseIndex(TransactionalIndex):
    """See ``PauseIndex``. WAL, ``synchronous=FULL``, one writer thread with group commit, one reader thread.

    Args:
        path: the file; made by ``agboss migrate``, never here.
        clock: the application's.
        inline: run every transaction in the calling thread, without suspending: for the simulation and short commands.
    """

    def __init__(self, path: str | Path, *, clock: Clock, inline: bool = False) -> None:
        self._file = IndexFile(Path(path))
        self._clock = clock
        self._wakeups = Wakeups()
        self._runner = BatchRunner(self._file, clock, self._wakeups)
        self._writer = None if inline else WriterThread(self._runner)
        self._closed = False
        self._reading = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._pool = None if inline else ThreadPoolExecutor(1, thread_name_prefix="agboss-index-reader")

    async def _write(
        self,
        transaction: Callable[Concatenate[Unit, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        def work(unit: Unit) -> Result:
            return transaction(unit, *args, **kwargs)

        self._check_open()
        result: Result
        if self._writer is None:
            result = self._runner.one(work)
        else:
            result = await self._writer.run(work)
        return result

    async def _read(
        self,
        look: Callable[Concatenate[Unit, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        def work(unit: Unit) -> Result:
            return look(unit, *args, **kwargs)

        return await self._looked(work)

    async def _looked(self, look: Callable[[Unit], Result]) -> Result:
        self._check_open()
        if self._pool is None:
            return self._look(look)
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._look, look)

    def _look(self, look: Callable[[Unit], Result]) -> Result:
        with self._file.errors():
            connection: sqlite3.Connection | None = getattr(self._reading, "connection", None)
            if connection is None:
                connection = self._reading.connection = self._file.connect()
                self._readers.append(connection)
            self._file.check_there()
            connection.execute("BEGIN")
            try:
                return look(Unit(SqliteRows(connection), micros(self._clock.now())))
            finally:
                connection.execute("ROLLBACK")

    async def changed(self, root: ExecutionId, *, seen: int, timeout: float, settled: bool = False) -> int:
        clock = asyncio.get_running_loop().time
        deadline = clock() + timeout
        pause = _FIRST_LOOK_SECONDS
        last = seen
        while True:
            waiter = self._wakeups.register(root, settled=settled)
            try:
                now = await self._looked(lambda unit: _change(unit, root))
                left = deadline - clock()
                if left <= 0 or (now.seq > seen and (now.settled or not settled)):
                    return now.seq
                if now.seq > max(last, waiter.heard):
                    # Another process moves the tree, and can't wake this one: it is looked at more often.
                    pause = _FIRST_LOOK_SECONDS
                last = now.seq
                async with asyncio.timeout(min(pause, left)):
                    await waiter.event.wait()
            except TimeoutError:
                pause = min(pause * 2, _LONGEST_LOOK_SECONDS)
                last = max(last, waiter.heard)
            finally:
                self._wakeups.forget(root, waiter)

    async def check(self) -> None:
        await self._looked(lambda unit: None)

    def _check_open(self) -> None:
        if self._closed:
            raise PauseIndexError("the pause index is closed; open another one")

    async def close(self) -> None:
        self._closed = True
        if self._writer is not None:
            await self._writer.close()
        else:
            self._runner.close()
        if self._pool is not None:
            await asyncio.to_thread(self._pool.shutdown, wait=True)
        while self._readers:
            self._readers.pop().close()


def _change(unit: Unit, root: str) -> Change:
    tree = unit.rows.get(TreeRow, root)
    return Change(-1, settled=False) if tree is None else change_of(tree)
