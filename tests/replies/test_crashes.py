"""Workers that are killed while they read, and a Temporal that is away."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client

from agboss import ReplyInterpretation, Settings, StartText
from agboss.decisions.keys import reading_id
from agboss.devserver.config import DevServerConfig
from agboss.devserver.process import free_port
from agboss.errors import TemporalUnavailableError, UninterpretableReplyError
from tests.processes import Place
from tests.replies.office import EXPENSE, Desk, DeskWorkflow
from tests.replies.worker_process import office
from tests.rig import SOON, script


class ReadingPlace(Place):
    """An index and workers of the replies' office on it."""

    def __init__(self, temporal: DevServerConfig, folder: Path) -> None:
        super().__init__(temporal, folder)
        self.application, _ = office(self.name, folder)

    @contextmanager
    def worker(self) -> "Iterator[subprocess.Popen[bytes]]":
        (self.folder / "ready").unlink(missing_ok=True)
        with self._process("tests.replies.worker_process", stdout=subprocess.DEVNULL) as process:
            yield process


@pytest.mark.timeout(110)
async def test_a_worker_killed_while_it_reads(temporal: DevServerConfig, tmp_path: Path) -> None:
    """S104, S111: killed with SIGKILL in the middle of a reading: the pause waits, the reply isn't lost, the next worker reads
    it again, and the caller who waited gets the result; the tool runs once."""
    place = ReadingPlace(temporal, tmp_path)
    (place.folder / "block-read").touch()
    async with place.application.connect(place.settings) as app:
        with place.worker():
            turns = script([EXPENSE], "=results")
            await app.execute(DeskWorkflow, StartText(text=turns), timeout=SOON, tenant_id="acme", owner_id="customer-1")
            (pause_id,) = place.lines("sent")
            replied = asyncio.create_task(
                app.resume(pause_id, reply="yes", timeout=3 * SOON, record=True, tenant_id="acme", owner_id="customer-1")
            )
            await place.until("read")
        record = await app._index.find("acme", pause_id)  # type: ignore[arg-type]
        assert record is not None and record.status == "pending" and not replied.done()
        (place.folder / "block-read").unlink()
        with place.worker():
            result = await replied
    assert result.output.text == "booked pens"
    assert (len(place.lines("read")), len(place.lines("ran")), len(place.lines("sent"))) == (2, 1, 1)
    assert [entry.responder for entry in result.record.pauses] == ["customer-1"]  # type: ignore[union-attr]


@pytest.mark.timeout(110)
async def test_a_reply_while_no_worker_runs(temporal: DevServerConfig, tmp_path: Path) -> None:
    """S247: a reply that came while all workers were down is read once one is back, also where its caller has gone."""
    place = ReadingPlace(temporal, tmp_path)
    async with place.application.connect(place.settings) as app:
        with place.worker():
            turns = script([EXPENSE], "=results")
            await app.execute(DeskWorkflow, StartText(text=turns), timeout=SOON, tenant_id="acme", owner_id="customer-1")
        (pause_id,) = place.lines("sent")
        replied = asyncio.create_task(app.resume(pause_id, reply="yes", tenant_id="acme", owner_id="customer-1"))
        await asyncio.sleep(0.5)
        replied.cancel()
        await asyncio.gather(replied, return_exceptions=True)
        with place.worker():
            await place.until("ran")
    assert (len(place.lines("read")), len(place.lines("ran"))) == (1, 1)


async def test_temporal_is_away(desk: Desk) -> None:
    """R27, S105: a reply can't be read without Temporal: temporal.unavailable, the pause untouched, and nothing of the reply is
    kept; a decision is recorded all the same, and the same reply works once Temporal is back."""
    await desk.asked(EXPENSE)
    away = Settings(index=desk.settings.index, temporal_address=f"127.0.0.1:{free_port()}")
    pause_id = desk.told.asks[0].pause_id
    async with desk.declaration.connect(away) as app:
        with pytest.raises(TemporalUnavailableError):
            await app.resume(pause_id, reply="yes", tenant_id="acme", owner_id="customer-1", request_id="mail-1")
    await desk.untouched()
    assert desk.told.read == []
    assert await desk.app._index._read(_readings) == 0  # type: ignore[attr-defined]
    result = await desk.reply("yes", request_id="mail-1")
    assert result.output.text == "booked pens"


def _readings(unit: object) -> int:
    from agboss.stores.rows import ReadingRow

    return len(unit.rows.select(ReadingRow, ()))  # type: ignore[attr-defined]


async def test_a_start_that_arrived_after_all(desk: Desk) -> None:
    """R01: Temporal took the reading, and its response was lost: the caller is told that nobody can read now, the reading was
    dropped, and the worker that comes to it asks nobody and answers nothing."""
    await desk.asked(EXPENSE)
    gateway = desk.app._replies._gateway
    really = gateway.start_reading

    async def lost(workflow_id: object, step: object) -> None:
        await desk.app._index.drop_reading(step.reading)  # type: ignore[attr-defined]
        await really(workflow_id, step)  # type: ignore[arg-type]
        assert (await gateway.reading_result(workflow_id)).outcome == "gone"  # type: ignore[arg-type]
        raise TemporalUnavailableError("the response got lost")

    gateway.start_reading = lost  # type: ignore[method-assign]
    try:
        with pytest.raises(TemporalUnavailableError, match="lost"):
            await desk.reply("yes", request_id="mail-1")
    finally:
        gateway.start_reading = really  # type: ignore[method-assign]
    assert desk.told.read == []
    await desk.untouched()
    assert (await desk.reply("yes", request_id="mail-1")).output.text == "booked pens"


async def test_a_reading_ended_from_outside(desk: Desk) -> None:
    """S105: somebody terminates a reading in the Temporal UI: its caller is told that the pause waits, and so it does, also when
    the code that was reading ends later; the same message can be passed again."""
    go = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slow(input: Any) -> Any:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(go.wait(), loop))
        return ReplyInterpretation.understood({"approved": True})

    desk.told.interpret = slow
    await desk.asked(EXPENSE)
    replied = asyncio.create_task(desk.reply("yes", request_id="mail-1"))
    await desk.until(lambda: len(desk.told.read) == 1)
    pause = await desk.app._index.find("acme", desk.told.asks[0].pause_id)  # type: ignore[arg-type]
    assert pause is not None
    client = await Client.connect(desk.settings.temporal_address, namespace=desk.settings.temporal_namespace)
    id = f"{pause.workflow_id}/reading-{reading_id(pause.pause_key, 'mail-1')}"
    await client.get_workflow_handle(id).terminate("by hand")
    with pytest.raises(UninterpretableReplyError) as raised:
        await replied
    assert raised.value.__cause__ is not None
    go.set()
    await asyncio.sleep(0.5)
    await desk.untouched()
    desk.told.interpret = None
    assert (await desk.reply("yes", request_id="mail-1")).output.text == "booked pens"


async def test_a_request_whose_reading_is_past_retention(desk: Desk) -> None:
    """S065: the same message after its reading was removed is read anew, whatever Temporal still knows of it."""

    async def unclear(input: Any) -> Any:
        return ReplyInterpretation.not_understood(reason="unclear")

    desk.told.interpret = unclear
    await desk.asked(EXPENSE)
    for _ in range(2):
        with pytest.raises(UninterpretableReplyError):
            await desk.reply("hm", request_id="mail-1")
    assert len(desk.told.read) == 1
    await desk.app._index.delete_readings_before(datetime.now(UTC) + timedelta(seconds=1), limit=10)
    with pytest.raises(UninterpretableReplyError):
        await desk.reply("hm", request_id="mail-1")
    assert len(desk.told.read) == 2
