"""Rows of a SQLite file, through the standard library's driver."""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import compress
from operator import ne
from typing import Any

from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect

from agboss.stores.rows import Row, Where
from agboss.stores.sql_rows import Statements, described


@cache
def _statements() -> Statements:
    return Statements(sqlite_dialect(paramstyle="qmark"))


class SqliteRows:
    """The rows seen through one connection, inside the transaction it is in."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute
        self._statements = _statements()
        self._stored: dict[tuple[Any, ...], Sequence[Any]] = {}
        """What the file has of each row seen, by kind and key: an update writes what differs, and nothing else."""

        self.has_written = False
        """Whether there is something to undo where the work on these rows fails."""

    def get(self, kind: type[Row], *key: Any) -> Row | None:
        of: Any = kind
        found = self._execute(self._statements.get(of), key).fetchone()
        return None if found is None else self._row(of, found)

    def select(
        self, kind: type[Row], where: Sequence[Where], *, order: Sequence[str] = (), limit: int | None = None
    ) -> list[Row]:
        statement, parameters = self._statements.select(kind, where, order, limit)
        return [self._row(kind, found) for found in self._execute(statement, parameters)]

    def insert(self, row: Any) -> None:
        kind: Any = type(row)
        about = described(kind)
        values = about.values(row)
        self.has_written = True
        self._execute(self._statements.insert(kind), values)
        self._stored[(kind, *(values[place] for place in about.key_places))] = values

    def update(self, row: Any) -> None:
        kind: Any = type(row)
        about = described(kind)
        values = about.values(row)
        key = tuple(values[place] for place in about.key_places)
        stored = self._stored[(kind, *key)]
        differs = tuple(map(ne, values, stored))
        if any(differs):
            self.has_written = True
            statement = self._statements.update(kind, tuple(compress(about.names, differs)))
            self._execute(statement, (*compress(values, differs), *key))
            self._stored[(kind, *key)] = values

    def delete(self, row: Any) -> None:
        kind: Any = type(row)
        self.has_written = True
        self._execute(self._statements.delete(kind), tuple(getattr(row, column) for column in row.key))

    def _row(self, kind: Any, found: Sequence[Any]) -> Any:
        about = described(kind)
        self._stored[(kind, *(found[place] for place in about.key_places))] = found
        row = kind(*found)
        for name in about.booleans:
            setattr(row, name, bool(getattr(row, name)))
        return row
