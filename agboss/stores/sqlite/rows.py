"""Rows of a SQLite file, through the standard library's driver."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect

from agboss.stores.rows import Row, Where
from agboss.stores.sql_rows import Statements, boolean_places, field_names

_STATEMENTS = Statements(sqlite_dialect(paramstyle="named"))


class SqliteRows:
    """The rows seen through one connection, inside the transaction it is in."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._execute = connection.execute

    def get(self, kind: type[Row], *key: Any) -> Row | None:
        described: Any = kind
        parameters = {f"k_{column}": value for column, value in zip(described.key, key, strict=True)}
        found = self._execute(_STATEMENTS.get(described), parameters).fetchone()
        return None if found is None else _row(kind, found)

    def select(
        self, kind: type[Row], where: Sequence[Where], *, order: Sequence[str] = (), limit: int | None = None
    ) -> list[Row]:
        statement, parameters = _STATEMENTS.select(kind, where, order, limit)
        return [_row(kind, found) for found in self._execute(statement, parameters)]

    def insert(self, row: Any) -> None:
        kind: Any = type(row)
        self._execute(_STATEMENTS.insert(kind), {name: getattr(row, name) for name in field_names(kind)})

    def update(self, row: Any) -> None:
        kind: Any = type(row)
        parameters = {name: getattr(row, name) for name in field_names(kind)}
        for column in kind.key:
            parameters[f"k_{column}"] = parameters.pop(column)
        self._execute(_STATEMENTS.update(kind), parameters)

    def delete(self, row: Any) -> None:
        kind: Any = type(row)
        self._execute(_STATEMENTS.delete(kind), {f"k_{column}": getattr(row, column) for column in row.key})


def _row(kind: Any, found: Sequence[Any]) -> Any:
    values = list(found)
    for place in boolean_places(kind):
        values[place] = bool(values[place])
    return kind(**dict(zip(field_names(kind), values, strict=True)))
