"""Real servers for tests: each on free ports, ready when given, gone with the test process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from agboss.devserver.config import DevServerConfig
from agboss.devserver.process import dev_server, free_port, program_beside_python
from agboss.testing.clock import ManualClock


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


class TimeSkippingServer:
    """A Temporal server whose time a test moves, together with the application's clock."""

    def __init__(self, environment: WorkflowEnvironment, clock: ManualClock) -> None:
        self._environment = environment
        self.clock = clock

    @property
    def address(self) -> str:
        """For ``Settings.temporal_address``."""
        return self._environment.client.service_client.config.target_host

    async def advance(self, by: timedelta) -> None:
        """Let time pass, for the server and for the application's clock. Sweep afterwards, as workers do by themselves."""
        await self._environment.sleep(by)
        self.clock.advance(by)


@asynccontextmanager
async def time_skipping_server() -> AsyncIterator[TimeSkippingServer]:
    """A time-skipping server on a free port; one a test process.

    Raises:
        ConfigurationError: no ``temporal-test-server`` program.
    """
    program = program_beside_python("temporal-test-server", "agboss-temporal[dev]")
    environment = await WorkflowEnvironment.start_time_skipping(test_server_existing_path=program)
    try:
        await _add_search_attributes(environment.client)
        yield TimeSkippingServer(environment, ManualClock())
    finally:
        await environment.shutdown()


async def _add_search_attributes(client: Client) -> None:
    kinds = {"Keyword": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD, "Int": IndexedValueType.INDEXED_VALUE_TYPE_INT}
    wanted = {name: kinds[kind] for name, kind in DevServerConfig().search_attributes.items()}
    await client.operator_service.add_search_attributes(
        AddSearchAttributesRequest(search_attributes=wanted, namespace=client.namespace)
    )
