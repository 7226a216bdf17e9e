"""A running office for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agboss.devserver.config import DevServerConfig
from tests.replies.office import Desk, running_desk


@pytest.fixture
async def desk(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Desk]:
    async with running_desk(temporal, tmp_path) as running:
        yield running
