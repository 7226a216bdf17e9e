"""Making and upgrading an index. The only place that creates its file."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from agboss.errors import IndexUnavailableError
from agboss.stores import sqlite_path


def migrate(url: str) -> Path:
    """Bring the index of ``url`` to the newest schema, making its file and folder where there are none. Idempotent.

    Raises:
        ConfigurationError: no store has such URLs.
        IndexUnavailableError: the file can't be written.
    """
    path = sqlite_path(url)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(f"sqlite:///{path.absolute()}", hide_parameters=True)
        event.listen(engine, "connect", lambda connection, _: connection.execute("PRAGMA journal_mode=WAL"))
        with engine.begin() as connection:
            config = Config()
            config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        engine.dispose()
    except (OSError, SQLAlchemyError) as error:
        raise IndexUnavailableError(
            f"the pause index {path} can't be made or upgraded ({type(error).__name__}); check folder, permissions and disk"
        ) from error
    return path
