"""SQL statements for rows: built by SQLAlchemy once each, kept as text with named parameters, run by the driver itself."""

from collections.abc import Sequence
from dataclasses import fields
from functools import cache
from typing import Any, get_type_hints

from sqlalchemy import Dialect, bindparam, delete, insert, select, update

from agboss.stores.rows import Where
from agboss.stores.schema import metadata

Shape = tuple[tuple[str, str, int], ...]
"""Of conditions: column, operator ("null" for equality with nothing), and how many values an "in" has."""


class Statements:
    """The statements of one SQL dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.get = cache(self._get)
        self.insert = cache(self._insert)
        self.update = cache(self._update)
        self.delete = cache(self._delete)
        self._select_cached = cache(self._select)

    def select(
        self, kind: Any, where: Sequence[Where], order: Sequence[str], limit: int | None
    ) -> tuple[str, dict[str, Any]]:
        """The statement and its parameters."""
        shape: Shape = tuple(_shape(condition) for condition in where)
        parameters: dict[str, Any] = {}
        for number, condition in enumerate(where):
            if condition.op == "in":
                parameters |= {f"w{number}_{place}": value for place, value in enumerate(condition.value)}
            elif condition.value is not None:
                parameters[f"w{number}"] = condition.value
        if limit is not None:
            parameters["most"] = limit
        return self._select_cached(kind, shape, tuple(order), limit is not None), parameters

    def _get(self, kind: Any) -> str:
        table = metadata().tables[kind.table]
        return self._text(select(*_columns(kind)).where(*(table.c[key] == bindparam(f"k_{key}") for key in kind.key)))

    def _select(self, kind: Any, shape: Shape, order: tuple[str, ...], limited: bool) -> str:
        table = metadata().tables[kind.table]
        statement = select(*_columns(kind))
        for number, (column, op, values) in enumerate(shape):
            if op == "in":
                statement = statement.where(table.c[column].in_([bindparam(f"w{number}_{v}") for v in range(values)]))
            elif op == "null":
                statement = statement.where(table.c[column].is_(None))
            else:
                statement = statement.where(table.c[column].op(op)(bindparam(f"w{number}")))
        if order:
            statement = statement.order_by(*(table.c[column] for column in order))
        # By hand: SQLAlchemy's own limit brings an offset with a parameter of its own.
        return self._text(statement) + (" LIMIT :most" if limited else "")

    def _insert(self, kind: Any) -> str:
        return self._text(insert(metadata().tables[kind.table]))

    def _update(self, kind: Any) -> str:
        table = metadata().tables[kind.table]
        changed: dict[str, Any] = {field.name: bindparam(field.name) for field in fields(kind) if field.name not in kind.key}
        return self._text(update(table).where(*(table.c[key] == bindparam(f"k_{key}") for key in kind.key)).values(changed))

    def _delete(self, kind: Any) -> str:
        table = metadata().tables[kind.table]
        return self._text(delete(table).where(*(table.c[key] == bindparam(f"k_{key}") for key in kind.key)))

    def _text(self, statement: Any) -> str:
        return str(statement.compile(dialect=self._dialect))


def _shape(condition: Where) -> tuple[str, str, int]:
    if condition.op == "in":
        return condition.column, "in", len(condition.value)
    return condition.column, "null" if condition.value is None else condition.op, 0


def _columns(kind: Any) -> list[Any]:
    table = metadata().tables[kind.table]
    return [table.c[field.name] for field in fields(kind)]


@cache
def field_names(kind: Any) -> tuple[str, ...]:
    """The columns of a row, in order."""
    return tuple(field.name for field in fields(kind))


@cache
def boolean_places(kind: Any) -> tuple[int, ...]:
    """Which columns hold truth values; SQLite gives them as numbers."""
    hints = get_type_hints(kind)
    return tuple(place for place, name in enumerate(field_names(kind)) if hints[name] is bool)
