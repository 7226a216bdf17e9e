"""While the index or Temporal is away."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agboss.devserver.config import DevServerConfig
from agboss.errors import ConfigurationError
from agboss.settings import Settings
from agboss.stores import callers_of, open_index
from agboss.stores.migrate import migrate
from agboss.testing.index_suite.world import SettableClock, World
from tests.rig import Rig, ScriptedModels, Terminal, Told, application, call, play, script
from tests.web.conftest import DESK, Site, code, let_in, served

NOWHERE = "127.0.0.1:1"
"""Nobody listens there."""


@pytest.fixture
async def lonely(tmp_path: Path) -> AsyncIterator[Site]:
    """A server that has never seen Temporal, with an index of its own."""
    url = f"sqlite:///{tmp_path / 'index.db'}"
    migrate(url)
    declared = application(Told(), ScriptedModels(serves=["scripted/*"]), services=[Terminal()])
    settings = Settings(index=url, temporal_address=NOWHERE)
    async with declared.serving(settings) as serving, served(serving, await let_in(serving.callers, DESK)) as site:
        yield site


async def test_answers_while_temporal_is_away(lonely: Site) -> None:
    """S144: a server that starts without Temporal records an answer, 202 and not delivered, and doesn't wait for what can't
    come; the same again is repeated; starting is 503 and starts nothing, with the same key as often as it is tried."""
    clock = SettableClock()
    world = World(lonely.serving.index, clock)
    ref = await world.start("r1")
    (step_key,) = await world.turn(ref, {"amount": 1})
    asked = await world.ask(ref, step_key)
    first = await lonely.answer(asked.pause_id, wait=True)
    assert (first.status_code, first.json()["delivered"], first.json()["repeated"]) == (202, False, False)
    again = await lonely.answer(asked.pause_id)
    assert (again.status_code, again.json()["delivered"], again.json()["repeated"]) == (200, False, True)
    start = {"workflow": "payer-workflow", "input": {"text": "x"}, "thread_id": "t1"}
    for _ in range(2):
        refused = await lonely.post("/tenants/acme/executions", start, headers={"Idempotency-Key": "k"})
        assert code(refused) == (503, "temporal.unavailable")
        assert "retry-after" in refused.headers and "idempotent-replayed" not in refused.headers
    cancelled = await lonely.post("/tenants/acme/threads/thread-of-r1/cancel", {"cancelled_by": "manager-17"})
    assert cancelled.json()["cancelled"] is True


async def test_readiness(lonely: Site) -> None:
    """Ready is who has the index; that Temporal is away is told beside it; health is of the process alone."""
    ready = await lonely.get("/ready", by=None)
    assert (ready.status_code, ready.json()) == (200, {"ready": True, "index": "up", "temporal": "away"})
    path = lonely.serving.index._file.path  # type: ignore[attr-defined]
    os.rename(path, f"{path}.gone")
    ready = await lonely.get("/ready", by=None)
    assert (ready.status_code, ready.json()["index"]) == (503, "away")
    assert code(await lonely.get("/tenants/acme/pending")) == (503, "index.missing")
    assert (await lonely.get("/health", by=None)).status_code == 200


async def test_ready_with_everything(rig: Rig, site: Site) -> None:
    """With index and Temporal there both are up."""
    assert (await site.get("/ready", by=None)).json() == {"ready": True, "index": "up", "temporal": "up"}


async def test_a_click_while_the_index_is_away(rig: Rig, site: Site, tmp_path: Path) -> None:
    """F03: a click while the index can't be written is 503 with the time to try again, the pause waits on, and the second
    click works, with the same key as well."""
    result = await rig.execute([call("pay-tool", amount=1)], "paid")
    lock = sqlite3.connect(tmp_path / "index.db", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    try:
        seen = await asyncio.gather(site.answer(rig.ids[0]), site.answer(rig.ids[0], key="k"))
    finally:
        lock.execute("ROLLBACK")
        lock.close()
    assert [code(one) for one in seen] == [(503, "index.unavailable")] * 2
    assert all(one.headers["retry-after"] == "1" for one in seen)
    looked = await site.get(f"/tenants/acme/executions/{result.execution_id}")
    assert looked.json()["status"] == "paused"
    done = await site.answer(rig.ids[0], key="k", wait=True)
    assert (done.status_code, done.json()["status"]) == (200, "finished")


async def test_temporal_comes_later(temporal: DevServerConfig, tmp_path: Path) -> None:
    """A server connects at the first call that needs Temporal: one that began before any worker serves when there is one."""
    url = f"sqlite:///{tmp_path / 'index.db'}"
    migrate(url)
    told, models = Told(), ScriptedModels(serves=["scripted/*"])
    models.when().reply(play)
    declared = application(told, models, name="late", services=[Terminal()])
    settings = Settings(index=url, temporal_address=temporal.address, temporal_namespace=temporal.namespace)
    async with declared.serving(settings) as serving, served(serving, await let_in(serving.callers, DESK)) as site:
        start = {"workflow": "payer-workflow", "input": {"text": script("hello")}}
        begun = (await site.post("/tenants/acme/executions", start)).json()
        async with declared.worker(settings):
            while True:
                looked = (await site.get(f"/tenants/acme/executions/{begun['execution_id']}")).json()
                if looked["status"] != "running":
                    break
                await asyncio.sleep(0.05)
    assert (looked["status"], looked["output"]) == ("finished", {"text": "hello"})


async def test_an_index_of_your_own_needs_callers(tmp_path: Path) -> None:
    """An index that keeps no callers is a ConfigurationError that says to give them."""
    with pytest.raises(ConfigurationError, match="callers="):
        callers_of(object())  # type: ignore[arg-type]
    index = open_index("memory:", clock=SettableClock())
    assert await callers_of(index).list() == ()
