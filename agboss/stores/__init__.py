"""Stores of the pause index. Each is imported only when it is opened."""

from pathlib import Path

from agboss.errors import ConfigurationError
from agboss.ports.callers import Callers
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


def open_callers(url: str, *, clock: Clock) -> Callers:
    """Who may call over HTTP, in the index of a URL.

    Raises:
        ConfigurationError: no store has such URLs.
    """
    return callers_of(open_index(url, clock=clock), owned=True)


def callers_of(index: PauseIndex, *, owned: bool = False) -> Callers:
    """Who may call over HTTP, in an index that is open; ``owned``: it is closed with them.

    Raises:
        ConfigurationError: it is an index of your own, which keeps no callers.
    """
    from agboss.stores.callers import StoredCallers
    from agboss.stores.transactional import TransactionalIndex

    if not isinstance(index, TransactionalIndex):
        raise ConfigurationError(f"a {type(index).__name__} keeps no callers; give callers= of your own")
    return StoredCallers(index, owned=owned)


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
