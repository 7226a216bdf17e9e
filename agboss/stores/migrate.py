"""Making and upgrading an index. The only place that creates its file."""

import os
import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, NullPool, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from agboss.errors import IndexSchemaError, IndexUnavailableError
from agboss.stores import sqlite_path

_WAIT_SECONDS = 30.0
"""How long one process waits for another that is migrating the same file."""


def migrate(url: str) -> Path:
    """Bring the index of ``url`` to the newest schema, making its file and folder where there are none. Idempotent, whole
    or not at all, and safe while others do the same.

    Raises:
        ConfigurationError: no store has such URLs.
        IndexUnavailableError: the file can't be written.
        IndexSchemaError: it was made by a version of agboss that this one doesn't know.
    """
    path = sqlite_path(url)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # For its owner alone: who can read the file can answer every pause in it.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        _upgrade(path)
    except (OSError, SQLAlchemyError) as error:
        raise IndexUnavailableError(
            f"the pause index {path} can't be made or upgraded ({type(error).__name__}); check folder, permissions and disk"
        ) from error
    except CommandError as error:
        raise IndexSchemaError(
            f"{path} was made by another version of agboss, which this one doesn't know; use that version, or another file"
        ) from error
    return path


def _upgrade(path: Path) -> None:
    engine = create_engine("sqlite://", creator=lambda: _connected(path), poolclass=NullPool, hide_parameters=True)
    # The driver's own begin comes only before the first row that is written: too late for a schema.
    event.listen(engine, "begin", _begin)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
