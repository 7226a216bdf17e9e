"""Real servers for tests: each on free ports, ready when given, gone with the test process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agboss.devserver.config import DevServerConfig
from agboss.devserver.process import dev_server, free_port


@asynccontextmanager
async def temporal_dev_server(*, database: Path | None = None, log: Path | None = None) -> AsyncIterator[DevServerConfig]:
    """A development server; in memory unless ``database`` is given."""
    config = DevServerConfig(
        port=free_port(),
        ui_port=None,
        database=None if database is None else str(database),
        sqlite_pragmas={"journal_mode": "WAL", "synchronous": "OFF"} if database else {},
    )
    async with dev_server(config, log=log) as running:
        yield running
