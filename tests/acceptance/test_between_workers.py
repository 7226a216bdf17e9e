"""What is recorded while no worker runs, and what the next one makes of it."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agboss import App, PauseStatus, ScriptedModels, Settings, StartText, Terminal
from agboss.devserver.config import DevServerConfig
from agboss.stores.migrate import migrate
from tests.rig import SOON, ClerkWorkflow, Told, application, call, play, script


class Shifts:
    """An application whose worker comes and goes, and a facade that stays."""

    def __init__(self, temporal: DevServerConfig, folder: Path) -> None:
        url = f"sqlite:///{folder / 'index.db'}"
        migrate(url)
        self.told, self.models = Told(), ScriptedModels()
        self.models.when().reply(play)
        self.settings = Settings(index=url, temporal_address=temporal.address)
        self.declaration = application(self.told, self.models, name=f"shifts-{secrets.token_hex(4)}", services=[Terminal()])

    @asynccontextmanager
    async def paused(self, *turns: Any) -> AsyncIterator[tuple[App, str]]:
        """A facade and an execution that a worker, gone by now, has left paused."""
        async with self.declaration.connect(self.settings) as app:
            async with self.declaration.worker(self.settings):
                start = StartText(text=script(*turns))
                result = await app.execute(ClerkWorkflow, start, tenant_id="acme", owner_id="customer-1", timeout=SOON)
            assert result.status == "paused"
            yield app, result.execution_id

    async def statuses(self, app: App) -> list[PauseStatus | None]:
        """Of the pauses, in the order they were asked."""
        records = [await app._index.find("acme", ask.pause_id) for ask in self.told.asks]  # type: ignore[arg-type]
        return [record and record.status for record in records]

    async def ended(self, app: App, execution_id: str) -> Any:
        async with asyncio.timeout(SOON.total_seconds()):
            while True:
                result = await app.execution(execution_id, tenant_id="acme", record=True)
                if result is not None and result.output is not None:
                    return result
                await asyncio.sleep(0.02)


@pytest.fixture
def shifts(temporal: DevServerConfig, tmp_path: Path) -> Shifts:
    return Shifts(temporal, tmp_path)


async def test_an_answered_pause_is_resolved_and_then_taken(shifts: Shifts) -> None:
    """S157: PENDING until the answer, RESOLVED until a worker comes, TAKEN by its step; the resolution is REPLIED."""
    async with shifts.paused([call("pay-tool", amount=1)], "done") as (app, execution_id):
        seen = await shifts.statuses(app)
        pause_id = shifts.told.asks[0].pause_id
        await app.resume(pause_id, decision={"approved": True}, answered_by="m", tenant_id="acme", wait=False)
        seen += await shifts.statuses(app)
        assert shifts.told.runs == []
        async with shifts.declaration.worker(shifts.settings):
            result = await shifts.ended(app, execution_id)
        seen += await shifts.statuses(app)
    assert seen == [PauseStatus.PENDING, PauseStatus.RESOLVED, PauseStatus.TAKEN]
    assert [entry.resolution for entry in result.record.pauses] == ["replied"]


async def test_two_decisions_recorded_without_a_worker_are_both_taken(shifts: Shifts) -> None:
    """S239: decisions of two callers, recorded while no worker ran: the next worker takes both, each once."""
    calls = [call("pay-tool", amount=1), call("pay-tool", amount=2)]
    async with shifts.paused(calls, "done") as (app, execution_id):
        async with shifts.declaration.connect(shifts.settings) as other:
            for caller, ask in zip((app, other), shifts.told.asks, strict=True):
                await caller.resume(ask.pause_id, decision={"approved": True}, answered_by="m", tenant_id="acme", wait=False)
        assert await shifts.statuses(app) == [PauseStatus.RESOLVED] * 2
        assert shifts.told.runs == []
        async with shifts.declaration.worker(shifts.settings):
            result = await shifts.ended(app, execution_id)
        assert await shifts.statuses(app) == [PauseStatus.TAKEN] * 2
    assert sorted(run[1].amount for run in shifts.told.runs) == [1, 2]  # type: ignore[attr-defined]
    assert (len(result.record.pauses), len(shifts.told.asks), len(shifts.models.requests)) == (2, 2, 2)
