"""One thread that writes, with group commit: what is asked while a commit is under way shares the next one."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from agboss.errors import PauseIndexError
from agboss.ports.clock import Clock
from agboss.stores.sqlite.file import IndexFile
from agboss.stores.sqlite.rows import SqliteRows
from agboss.stores.transactions.unit import Unit, micros
from agboss.stores.wakeups import Change, Wakeups

_MOST_TOGETHER = 256


@dataclass(slots=True)
class _Job:
    work: Callable[[Unit], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None


class BatchRunner:
    """Runs units of work against one connection, many in one transaction; one that fails leaves its neighbours alone."""

    def __init__(self, file: IndexFile, clock: Clock, wakeups: Wakeups) -> None:
        self._file = file
        self._clock = clock
        self._wakeups = wakeups
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        """Inline work may come from several threads."""

    def one(self, work: Callable[[Unit], Any]) -> Any:
        """Run one unit of work and commit it."""
        with self._lock, self._transaction() as connection:
            unit = Unit(SqliteRows(connection), micros(self._clock.now()))
            result = work(unit)
        self._wakeups.notify(unit.touched)
        return result

    def many(self, jobs: list[_Job]) -> None:
        """Run all jobs and commit them together; then, and only then, each has its result."""
        try:
            try:
                touched = self._together(jobs, careful=False)
            except _Spoiled:
                touched = self._together(jobs, careful=True)
        except Exception as error:
            # Whatever it is, it is everybody's: nobody's work was committed, and nobody may wait for ever.
            for job in jobs:
                job.result, job.error = None, error
            return
        self._wakeups.notify(touched)

    def _together(self, jobs: list[_Job], *, careful: bool) -> dict[str, Change]:
        """Run the jobs in one transaction; gives the trees that changed.

        Refused work has mostly written nothing, so at first there are no savepoints, which cost a fifth of all time. Where
        one job fails after it has written, everything is run again, each job in a savepoint (``careful``): work is a
        function of the rows, and nobody was told anything.
        """
        touched: dict[str, Change] = {}
        with self._transaction() as connection:
            for job in jobs:
                self._run(connection, job, touched, careful=careful)
        return touched

    def _run(self, connection: sqlite3.Connection, job: _Job, touched: dict[str, Change], *, careful: bool) -> None:
        job.result = job.error = None
        rows = SqliteRows(connection)
        if careful:
            connection.execute("SAVEPOINT one")
        try:
            unit = Unit(rows, micros(self._clock.now()))
            job.result = job.work(unit)
        except sqlite3.OperationalError:
            # The file itself fails: nobody in this transaction can be sure of anything.
            raise
        except Exception as error:
            if careful:
                connection.execute("ROLLBACK TO one")
                connection.execute("RELEASE one")
            elif rows.has_written:
                raise _Spoiled from error
            job.error = self._file.translated(error)
        else:
            if careful:
                connection.execute("RELEASE one")
            touched.update(unit.touched)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._file.errors():
            if self._connection is None:
                self._connection = self._file.connect()
            self._file.check_there()
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class _Spoiled(Exception):
    """A unit of work failed after it had written, and its neighbours' work is in the same transaction."""


class WriterThread:
    """The one thread of a process that writes to one index."""

    def __init__(self, runner: BatchRunner) -> None:
        self._runner = runner
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False

    async def run(self, work: Callable[[Unit], Any]) -> Any:
        """Run ``work`` in a transaction; returns after its commit. A caller that is cancelled doesn't undo it."""
        loop = asyncio.get_running_loop()
        job = _Job(work, loop, loop.create_future())
        with self._lock:
            if self._closed:
                raise PauseIndexError("the pause index is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._live, name="agboss-index-writer", daemon=True)
                self._thread.start()
            self._jobs.put(job)
        return await job.future

    def _live(self) -> None:
        last = False
        while not last:
            first = self._jobs.get()
            jobs: list[_Job] = []
            while first is not None:
                jobs.append(first)
                if len(jobs) == _MOST_TOGETHER:
                    break
                try:
                    first = self._jobs.get_nowait()
                except queue.Empty:
                    break
            else:
                last = True
            if jobs:
                self._runner.many(jobs)
                _give(jobs)
        self._runner.close()

    async def close(self) -> None:
        """Finish what was accepted, then end the thread."""
        with self._lock:
            already, self._closed = self._closed, True
            thread = self._thread
            if not already and thread is not None:
                self._jobs.put(None)
        if thread is not None:
            await asyncio.to_thread(thread.join)


def _give(jobs: list[_Job]) -> None:
    """Hand out the results with one call into each loop."""
    loops: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
    for job in jobs:
        loops.setdefault(job.loop, []).append(job)
    for loop, own in loops.items():
        # A loop that has closed meanwhile has nobody left who waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, own)


def _settle(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if job.error is not None:
            job.future.set_exception(job.error)
        else:
            job.future.set_result(job.result)
