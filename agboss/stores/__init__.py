"""Stores of the pause index. Each is imported only when it is opened."""

from pathlib import Path

from agboss.errors import ConfigurationError
from agboss.ports.clock import Clock
from agboss.ports.pause_index import PauseIndex


def open_index(url: str, *, clock: Clock) -> PauseIndex:
    """The index of a URL: ``sqlite:///relative.db``, ``sqlite:////absolute.db``, or ``memory:``.

    Raises:
        ConfigurationError: no store has such URLs.
    """
    if url == "memory:":
        from agboss.stores.memory import InMemoryPauseIndex

        return InMemoryPauseIndex(clock=clock)
    from agboss.stores.sqlite.index import SqlitePauseIndex

    return SqlitePauseIndex(sqlite_path(url), clock=clock)


def sqlite_path(url: str) -> Path:
    """The file of a SQLite URL.

    Raises:
        ConfigurationError: it is none.
    """
    prefix = "sqlite:///"
    if not url.startswith(prefix) or len(url) == len(prefix):
        raise ConfigurationError(
            f"index URL {url!r} is not known; use sqlite:///relative.db, sqlite:////absolute/path.db or memory:"
        )
    return Path(url[len(prefix) :])
