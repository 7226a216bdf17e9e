"""One transaction under way: its rows, its instant, and the trees it touched."""

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from agboss.errors import PauseIndexError
from agboss.stores.rows import Rows, TreeRow

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_JSON: TypeAdapter[Any] = TypeAdapter(Any)


class Unit:
    """What every function of the protocol is given."""

    def __init__(self, rows: Rows, now: int) -> None:
        self.rows = rows
        self.now = now
        self.touched: dict[str, int] = {}
        """Root → the tree's new seq."""

    def tree(self, root: str) -> TreeRow:
        """The tree's row: loaded first by every transaction, so that all of one tree are serial.

        Raises:
            PauseIndexError: there is no such tree.
        """
        tree = self.rows.get(TreeRow, root)
        if tree is None:
            raise PauseIndexError(f"execution {root} is not in the index; was it started against another one?", root=root)
        return tree

    def touch(self, tree: TreeRow) -> int:
        """The tree changes: give it its next number."""
        tree.seq += 1
        self.rows.update(tree)
        self.touched[tree.root] = tree.seq
        return tree.seq


def micros(instant: datetime) -> int:
    """Whole microseconds since 1970."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def instant(value: int) -> datetime:
    """The instant of ``micros``."""
    return _EPOCH + timedelta(microseconds=value)


def to_json(value: Any) -> str:
    """Plain data as text."""
    return _JSON.dump_json(value).decode()


def from_json(text: str | None) -> Any:
    """Plain data from text; ``None`` stays."""
    return None if text is None else _JSON.validate_json(text)
