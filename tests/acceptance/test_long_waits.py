"""Waits of weeks, on a server whose time is moved."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from agboss.devserver.config import DevServerConfig
from agboss.errors import NotPausedError, UnknownPauseError
from agboss.testing.servers import TimeSkippingServer, time_skipping_server
from tests.rig import Rig, call, running_rig

DAYS_30 = timedelta(days=30)


@pytest.fixture
async def skipping() -> AsyncIterator[TimeSkippingServer]:
    async with time_skipping_server() as server:
        yield server


@pytest.fixture
async def rig(skipping: TimeSkippingServer, tmp_path: Path) -> AsyncIterator[Rig]:
    ip, _, port = skipping.address.rpartition(":")
    config = DevServerConfig(ip=ip, port=int(port), ui_port=None)
    async with running_rig(config, tmp_path, clock=skipping.clock) as running:
        yield running


async def test_a_pause_is_answered_after_thirty_days(rig: Rig, skipping: TimeSkippingServer) -> None:
    """S004, S155, E04: a pause has no time limit of its own; its times are the application clock's."""
    asked_at = skipping.clock.now()
    paused = await rig.execute([call("pay-tool", amount=1)], "paid")
    await skipping.advance(DAYS_30)
    await rig.app.sweep()
    (listed,) = await rig.app.pending(tenant_id="acme")
    assert listed.execution == paused.execution_id
    result = await rig.answer(rig.ids[0], record=True)
    assert result.output is not None and result.output.text == "paid"
    assert result.record is not None
    (entry,) = result.record.pauses
    assert (entry.asked_at, entry.resolved_at) == (asked_at, asked_at + DAYS_30)
    assert len(rig.ids) == 1 and len(rig.told.runs) == 1


async def test_a_resolved_record_is_kept_for_the_retention(rig: Rig, skipping: TimeSkippingServer) -> None:
    """S161–S167, E03: within the window a late answer is NotPausedError, after it the id is unknown; the entry stays, and
    what waits is never removed."""
    first = await rig.execute([call("pay-tool", amount=1)], "paid")
    await rig.answer(rig.ids[0])
    await rig.execute([call("pay-tool", amount=2)], "paid", thread_id="other")
    await skipping.advance(timedelta(hours=23))
    await rig.app.sweep()
    with pytest.raises(NotPausedError):
        await rig.answer(rig.ids[0])
    await skipping.advance(timedelta(hours=2))
    async with asyncio.timeout(30):
        # The worker's own sweep wakes with its clock.
        while await rig.app._index.find("acme", rig.ids[0]) is not None:  # type: ignore[arg-type]
            await asyncio.sleep(0.01)
    with pytest.raises(UnknownPauseError):
        await rig.answer(rig.ids[0])
    kept = await rig.app.execution(first.execution_id, tenant_id="acme", record=True)
    assert kept.record is not None and [entry.responder for entry in kept.record.pauses] == ["manager-17"]
    assert (await rig.answer(rig.ids[1])).output is not None
