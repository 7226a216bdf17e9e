"""The company's own database: what was really done, once for each idempotency key."""

import sqlite3
from pathlib import Path


class Ledger:
    """A SQLite file beside the office."""

    def __init__(self, path: Path = Path(".data/ledger.db")) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        with sqlite3.connect(path) as ledger:
            ledger.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, what TEXT, subject TEXT, detail TEXT)")

    def book(self, key: str | None, what: str, subject: str, detail: str = "") -> None:
        """Book something done; the same key again books nothing.

        Args:
            key: the call's ``ExecutionContext.step.idempotency_key``; every call has one.
        """
        assert key is not None, "a tool's call has a key"
        with sqlite3.connect(self._path) as ledger:
            ledger.execute("INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?)", (key, what, subject, detail))

    def rows(self) -> list[tuple[str, str, str]]:
        """What was done, to what, and how much: everything booked, the oldest first."""
        with sqlite3.connect(self._path) as ledger:
            return ledger.execute("SELECT what, subject, detail FROM entries ORDER BY rowid").fetchall()
