"""Servers that tests share: one development server for each test process, in memory, gone with it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from agboss.devserver.config import DevServerConfig
from agboss.devserver.process import free_port, start, stop, wait_until_ready
from tests.rig import Rig, running_rig


@pytest.fixture(scope="session")
def temporal() -> Iterator[DevServerConfig]:
    """The development server of this test process."""
    config = DevServerConfig(port=free_port(), ui_port=None)
    process = start(config)
    try:
        asyncio.run(wait_until_ready(config, process))
        yield config
    finally:
        stop(process)


@pytest.fixture
async def rig(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Rig]:
    """An application with a worker, on a real server and a fresh SQLite index."""
    async with running_rig(temporal, tmp_path) as running:
        yield running
