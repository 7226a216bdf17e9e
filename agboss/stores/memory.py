"""The in-memory twin of the index: the same transactions over dicts. For tests, demos and the simulation; it is gone with
its process."""

import asyncio
import operator
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Concatenate

from agboss.domain.ids import ExecutionId
from agboss.ports.clock import Clock
from agboss.stores.rows import ROWS, Row, TreeRow, Where
from agboss.stores.transactional import Arguments, Result, TransactionalIndex
from agboss.stores.transactions.unit import Unit, change_of, micros
from agboss.stores.wakeups import Change, Wakeups

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    "in": lambda value, values: value in values,
}


class InMemoryPauseIndex(TransactionalIndex):
    """See ``PauseIndex``. For one process and any of its threads; its methods never suspend, but for ``changed``."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._tables: dict[str, dict[tuple[Any, ...], Any]] = {kind.table: {} for kind in ROWS}
        self._wakeups = Wakeups()
        self._lock = threading.Lock()
        """A channel's ``send`` may answer from a thread of its own."""

    async def _write(
        self,
        transaction: Callable[Concatenate[Unit, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        rows = _DictRows(self._tables)
        with self._lock:
            unit = Unit(rows, micros(self._clock.now()))
            try:
                result = transaction(unit, *args, **kwargs)
            except BaseException:
                rows.undo()
                raise
        self._wakeups.notify(unit.touched)
        return result

    async def _read(
        self,
        look: Callable[Concatenate[Unit, Arguments], Result],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Result:
        with self._lock:
            return look(Unit(_DictRows(self._tables), micros(self._clock.now())), *args, **kwargs)

    async def changed(self, root: ExecutionId, *, seen: int, timeout: float, settled: bool = False) -> int:
        try:
            async with asyncio.timeout(timeout):
                while True:
                    waiter = self._wakeups.register(root, settled=settled)
                    try:
                        now = self._change(root)
                        if now.seq > seen and (now.settled or not settled):
                            return now.seq
                        await waiter.event.wait()
                    finally:
                        self._wakeups.forget(root, waiter)
        except TimeoutError:
            return self._change(root).seq

    def _change(self, root: str) -> Change:
        tree: TreeRow | None = self._tables[TreeRow.table].get((root,))
        return Change(-1, settled=False) if tree is None else change_of(tree)

    async def check(self) -> None:
        return None

    async def close(self) -> None:
        return None


class _DictRows:
    """Rows in dicts. What is given out is a copy, so that only ``update`` changes anything."""

    def __init__(self, tables: dict[str, dict[tuple[Any, ...], Any]]) -> None:
        self._tables = tables
        self._before: list[tuple[str, tuple[Any, ...], Any]] = []

    def get(self, kind: type[Row], *key: Any) -> Row | None:
        found = self._tables[_table(kind)].get(key)
        return None if found is None else replace(found)

    def select(
        self, kind: type[Row], where: Sequence[Where], *, order: Sequence[str] = (), limit: int | None = None
    ) -> list[Row]:
        found = [row for row in self._tables[_table(kind)].values() if _meets(row, where)]
        if order:
            found.sort(key=lambda row: tuple(getattr(row, column) for column in order))
        return [replace(row) for row in found[:limit]]

    def insert(self, row: Any) -> None:
        table, key = _table(type(row)), _key(row)
        assert key not in self._tables[table], f"{table} has {key} already"
        self._put(table, key, replace(row))

    def update(self, row: Any) -> None:
        table, key = _table(type(row)), _key(row)
        assert key in self._tables[table], f"{table} has no {key}"
        self._put(table, key, replace(row))

    def delete(self, row: Any) -> None:
        table, key = _table(type(row)), _key(row)
        self._before.append((table, key, self._tables[table].pop(key)))

    def _put(self, table: str, key: tuple[Any, ...], row: Any) -> None:
        self._before.append((table, key, self._tables[table].get(key)))
        self._tables[table][key] = row

    def undo(self) -> None:
        """Put everything back, the latest change first."""
        for table, key, before in reversed(self._before):
            if before is None:
                self._tables[table].pop(key, None)
            else:
                self._tables[table][key] = before


def _table(kind: Any) -> str:
    name: str = kind.table
    return name


def _key(row: Any) -> tuple[Any, ...]:
    return tuple(getattr(row, column) for column in row.key)


def _meets(row: Any, where: Sequence[Where]) -> bool:
    for column, op, wanted in where:
        value = getattr(row, column)
        # As in SQL, nothing compares with an absent value but "is it absent".
        if value is None and not (op == "=" and wanted is None):
            return False
        if not _OPERATORS[op](value, wanted):
            return False
    return True
