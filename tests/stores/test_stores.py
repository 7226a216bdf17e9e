"""Every store that is shipped, put to the behavioural suite."""

from pathlib import Path

import pytest

from agboss.ports.clock import Clock
from agboss.ports.pause_index import PauseIndex
from agboss.stores.memory import InMemoryPauseIndex
from agboss.stores.migrate import migrate
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.testing.index_suite import PauseIndexSuite


class TestInMemory(PauseIndexSuite):
    """S143: the twin."""

    async def make(self, clock: Clock) -> PauseIndex:
        return InMemoryPauseIndex(clock=clock)


class _Sqlite(PauseIndexSuite):
    inline = False

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "index.db"
        migrate(f"sqlite:///{self.path}")

    async def make(self, clock: Clock) -> PauseIndex:
        return SqlitePauseIndex(self.path, clock=clock, inline=self.inline)


class TestSqlite(_Sqlite):
    """S143: the default store."""


class TestSqliteInline(_Sqlite):
    """S143: the default store, run in the caller's thread."""

    inline = True
