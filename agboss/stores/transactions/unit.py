"""One transaction under way: its rows, its instant, and the trees it touched."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from agboss.errors import RunTerminatedError
from agboss.stores.rows import Rows, TreeRow
from agboss.stores.wakeups import Change

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode
"""In ASCII, by the standard library: a model's text may hold half a surrogate pair, which neither pydantic's encoder nor a
database takes as it is."""
_DECODE = json.JSONDecoder().decode


class Unit:
    """What every function of the protocol is given."""

    def __init__(self, rows: Rows, now: int) -> None:
        self.rows = rows
        self.now = now
        self.touched: dict[str, Change] = {}
        """Root → the tree as it is now."""

    def tree(self, root: str) -> TreeRow:
        """The tree's row: loaded first by every transaction, so that all of one tree are serial.

        Raises:
            RunTerminatedError: there is no such tree.
        """
        tree = self.rows.get(TreeRow, root)
        if tree is None:
            raise RunTerminatedError(
                f"execution {root} is not in the index (any more); was it started against another one?", execution_id=root
            )
        return tree

    def touch(self, tree: TreeRow) -> int:
        """The tree changes: give it its next number."""
        tree.seq += 1
        self.rows.update(tree)
        self.touched[tree.root] = change_of(tree)
        return tree.seq


def change_of(tree: TreeRow) -> Change:
    """What those who wait for the tree need to know."""
    return Change(tree.seq, settled=tree.at_rest or tree.status != "live")


def micros(instant: datetime) -> int:
    """Whole microseconds since 1970."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def instant(value: int) -> datetime:
    """The instant of ``micros``."""
    return _EPOCH + timedelta(microseconds=value)


def to_json(value: Any) -> str:
    """Plain data as text."""
    return _ENCODE(value)


def from_json(text: str | None) -> Any:
    """Plain data from text; ``None`` stays."""
    return None if text is None else _DECODE(text)
