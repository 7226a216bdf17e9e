"""SQL statements for rows: built by SQLAlchemy once each, kept as text with positional parameters, run by the driver
itself."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, get_type_hints

from sqlalchemy import Dialect, bindparam, delete, insert, literal_column, select, update

from agboss.stores.rows import Where
from agboss.stores.schema import CODED, metadata

Shape = tuple[tuple[str, str, Any], ...]
"""Of conditions: column, operator, and what is written into the statement: the values of a coded column, else how many
values an "in" has."""


@dataclass(frozen=True, slots=True)
class Described:
    """One kind of row, as statements see it."""

    names: tuple[str, ...]
    """Its columns, in order."""
    values: Any
    """Gives a row's values in that order."""
    key_places: tuple[int, ...]
    booleans: tuple[str, ...]
    """Columns of truth values; SQLite gives them as numbers."""


@cache
def described(kind: Any) -> Described:
    """What statements need to know of a kind of row."""
    names = tuple(field.name for field in fields(kind))
    hints = get_type_hints(kind)
    return Described(
        names=names,
        values=attrgetter(*names),
        key_places=tuple(names.index(column) for column in kind.key),
        booleans=tuple(name for name in names if hints[name] is bool),
    )


class Statements:
    """The statements of one SQL dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.get = cache(self._get)
        self.insert = cache(self._insert)
        self.update = cache(self._update)
        self.delete = cache(self._delete)
        self._select_cached = cache(self._select)

    def select(self, kind: Any, where: Sequence[Where], order: Sequence[str], limit: int | None) -> tuple[str, list[Any]]:
        """The statement and its parameters."""
        shape: list[tuple[str, str, Any]] = []
        parameters: list[Any] = []
        for column, op, value in where:
            if value is None:
                shape.append((column, "null", None))
            elif column in CODED:
                shape.append((column, op, value))
            elif op == "in":
                shape.append((column, op, len(value)))
                parameters.extend(value)
            else:
                shape.append((column, op, None))
                parameters.append(value)
        if limit is not None:
            parameters.append(limit)
        return self._select_cached(kind, tuple(shape), tuple(order), limit is not None), parameters

    def _get(self, kind: Any) -> str:
        """Parameters: the key."""
        return self._text(select(*_columns(kind)).where(*_has_key(kind)), kind.key)

    def _select(self, kind: Any, shape: Shape, order: tuple[str, ...], limited: bool) -> str:
        table = metadata().tables[kind.table]
        statement = select(*_columns(kind))
        names: list[str] = []
        for number, (name, op, fixed) in enumerate(shape):
            column = table.c[name]
            if op == "null":
                statement = statement.where(column.is_(None))
            elif name in CODED:
                # Written out: an index over "status = 'pending'" serves only who is seen to ask for just that.
                statement = statement.where(column.in_(_coded(fixed)) if op == "in" else column.op(op)(_coded(fixed)))
            elif op == "in":
                places = [f"w{number}_{place}" for place in range(fixed)]
                statement = statement.where(column.in_([bindparam(place) for place in places]))
                names.extend(places)
            else:
                statement = statement.where(column.op(op)(bindparam(f"w{number}")))
                names.append(f"w{number}")
        if order:
            statement = statement.order_by(*(table.c[name] for name in order))
        # By hand: SQLAlchemy's own limit brings an offset with a parameter of its own.
        return self._text(statement, names) + (" LIMIT ?" if limited else "")

    def _insert(self, kind: Any) -> str:
        """Parameters: all columns."""
        return self._text(insert(metadata().tables[kind.table]), described(kind).names)

    def _update(self, kind: Any, changed: tuple[str, ...]) -> str:
        """Parameters: the changed columns, in the table's order, and the key."""
        statement = update(metadata().tables[kind.table]).where(*_has_key(kind))
        return self._text(statement.values({name: bindparam(name) for name in changed}), (*changed, *kind.key))

    def _delete(self, kind: Any) -> str:
        """Parameters: the key."""
        return self._text(delete(metadata().tables[kind.table]).where(*_has_key(kind)), kind.key)

    def _text(self, statement: Any, names: Sequence[str]) -> str:
        compiled = statement.compile(dialect=self._dialect)
        order = [name.removeprefix("k_") for name in compiled.positiontup or ()]
        assert order == list(names), f"parameters come as {order}, not as {names}"
        return str(compiled)


def _columns(kind: Any) -> list[Any]:
    table = metadata().tables[kind.table]
    return [table.c[name] for name in described(kind).names]


def _has_key(kind: Any) -> list[Any]:
    table = metadata().tables[kind.table]
    return [table.c[name] == bindparam(f"k_{name}") for name in kind.key]


def _coded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_coded(one) for one in value]
    if isinstance(value, bool):
        return literal_column("1" if value else "0")
    assert value.isidentifier(), f"{value!r} is no code"
    return literal_column(f"'{value}'")
