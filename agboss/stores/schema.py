"""The tables, for SQL built by SQLAlchemy. Their columns are the fields of ``rows``; the migrations make them."""

from dataclasses import fields
from functools import cache
from typing import Any, get_args, get_type_hints

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, LargeBinary, MetaData, Table, Text, text

from agboss.stores.rows import ROWS

SCHEMA_VERSION = "notices"
"""The newest migration."""

CODED = frozenset({"status", "state", "send_state", "withdraw", "delivered"})
"""Columns whose values are a few words of ours; statements have them written out."""

_TYPES: dict[type, Any] = {str: Text, int: BigInteger, float: Float, bool: Boolean, bytes: LargeBinary}


@cache
def metadata() -> MetaData:
    """All tables with their indexes."""
    described = MetaData()
    for kind in ROWS:
        hints = get_type_hints(kind)
        Table(
            kind.table,
            described,
            *(_column(field.name, hints[field.name], key=field.name in kind.key) for field in fields(kind)),
        )
    _indexes(described)
    return described


def _column(name: str, hint: Any, *, key: bool) -> Column[Any]:
    optional = type(None) in get_args(hint)
    plain = next(argument for argument in get_args(hint) if argument is not type(None)) if optional else hint
    return Column(name, _TYPES[plain], primary_key=key, nullable=optional, autoincrement=False)


def _indexes(described: MetaData) -> None:
    table = described.tables

    def index(name: str, on: str, *columns: str, where: str | None = None, unique: bool = False) -> None:
        only = None if where is None else text(where)
        Index(name, *(table[on].c[column] for column in columns), unique=unique, sqlite_where=only, postgresql_where=only)

    # SQLite uses a partial index only where a statement's condition is word for word the index's.

    # One live tree a thread: the database itself refuses a second.
    index("trees_one_live", "trees", "tenant", "thread", where="status = 'live'", unique=True)
    index("holders_of_tree", "holders", "root", "parent")
    index("holders_live", "holders", "id", where="state <> 'ended'")
    index("pauses_by_id", "pauses", "tenant", "id_hash", unique=True)
    index("pauses_at_position", "pauses", "position_key")
    index("pauses_pending", "pauses", "tenant", "asked_at", "root", "seq", "owner", where="status = 'pending'")
    index("pauses_to_nudge", "pauses", "nudge_at", where="status = 'resolved'")
    index("pauses_owed", "pauses", "send_state", "asked_at", where="withdraw = 'owed'")
    index("pauses_claimed", "pauses", "asked_at", where="withdraw = 'claimed'")
    index("pauses_of_tree", "pauses", "root", "status", "seq")
    index("pauses_closed", "pauses", "closed_at", where="settled_at is not null")
    index("readings_by_time", "readings", "at")
    index("turns_of_step", "turns", "execution", "node", "visit", "iteration")
    index("calls_of_turn", "calls", "turn_key", "position")
    index("events_waiting", "events", "at", "root", "number", where="delivered = 0")
    index("callers_by_name", "callers", "name", unique=True)
    index("responses_until", "responses", "until")
