"""Opening a SQLite index file, and telling what is wrong with it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from agboss.errors import IndexMissingError, IndexSchemaError, IndexUnavailableError, PauseIndexError
from agboss.stores.schema import SCHEMA_VERSION

BUSY_TIMEOUT_SECONDS = 5.0
"""How long one process waits for another's transaction."""
CHECKPOINT_PAGES = 4_000
"""16 MB of log. At SQLite's 1,000 every thirtieth answer pays 4 ms for a checkpoint; so it is every hundredth."""


class IndexFile:
    """A file that must be there, stay there, and be of our schema."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._inode: int | None = None

    def connect(self) -> sqlite3.Connection:
        """A connection in autocommit mode. The file is never created here: a second, empty index would lose answers.

        Raises:
            IndexMissingError, IndexUnavailableError, IndexSchemaError
        """
        with self.errors():
            self._check_there(first=True)
            uri = f"file:{quote(str(self.path.absolute()))}?mode=rw"
            connection = sqlite3.connect(
                uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
                self._check_schema(connection)
            except BaseException:
                connection.close()
                raise
            return connection

    def check_there(self) -> None:
        """Raise ``IndexMissingError`` where the file has vanished or was replaced under an open connection."""
        self._check_there(first=False)

    def _check_there(self, *, first: bool) -> None:
        try:
            inode = os.stat(self.path).st_ino
        except (FileNotFoundError, NotADirectoryError):
            inode = None
        except OSError as error:
            raise IndexUnavailableError(
                f"the pause index {self.path} can't be looked at ({type(error).__name__}); check the permissions of its folder"
            ) from error
        if inode is None or (self._inode is not None and inode != self._inode):
            how = (
                "there is no pause index"
                if inode is None and self._inode is None
                else "the pause index was removed or replaced"
            )
            raise IndexMissingError(
                f"{how} at {self.path}; restore the file and restart, or make a new one with `agboss migrate`",
                path=str(self.path),
            )
        if first:
            self._inode = inode

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        try:
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            found = None
        version = found[0] if found else None
        if version != SCHEMA_VERSION:
            raise IndexSchemaError(
                f"{self.path} has schema {version or 'none'}, this version of agboss needs {SCHEMA_VERSION}; run `agboss migrate`",
                found=version,
                needed=SCHEMA_VERSION,
            )

    @contextmanager
    def errors(self) -> Iterator[None]:
        """SQLite's errors as ours; never with a statement or a value in the text."""
        try:
            yield
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self.translated(error) from error

    def translated(self, error: Exception) -> Exception:
        """SQLite's error as ours; any other as it is."""
        if isinstance(error, UnicodeEncodeError):
            return PauseIndexError("a name holds half of a surrogate pair, which no database keeps; give valid text")
        if isinstance(error, sqlite3.IntegrityError):
            return PauseIndexError(f"a transaction on the pause index {self.path} contradicts what is there; report this")
        return self._failure(error) if isinstance(error, sqlite3.Error) else error

    def _failure(self, error: sqlite3.Error) -> PauseIndexError:
        told = str(error).lower()
        where = f"the pause index {self.path}"
        if "locked" in told or "busy" in told:
            return IndexUnavailableError(
                f"{where} is locked by another process for over {BUSY_TIMEOUT_SECONDS:g} s; try again"
            )
        if "full" in told:
            return IndexUnavailableError(f"{where} can't grow: the disk is full; make room and try again")
        if "readonly" in told or "read-only" in told:
            return IndexUnavailableError(f"{where} is read-only for this process; check the permissions of file and folder")
        if "unable to open" in told:
            return IndexUnavailableError(f"{where} can't be opened; check the permissions of file and folder")
        if "malformed" in told or "not a database" in told:
            return IndexUnavailableError(f"{where} is damaged; restore it from a backup")
        return IndexUnavailableError(f"{where} failed: {type(error).__name__}", kind=type(error).__name__)
