"""One SQLite file and several processes: one winner each, and nothing acknowledged is ever lost."""

import asyncio
import multiprocessing
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from agboss.clocks import SystemClock
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.errors import NotPausedError
from agboss.ports.pause_index import ResolvedPause
from agboss.stores.migrate import migrate
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.testing.index_suite.world import ACME, Asked, World

SPAWN = multiprocessing.get_context("spawn")
ROUNDS = 50


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return migrate(f"sqlite:///{tmp_path / 'index.db'}")


def _world(path: Path) -> World:
    return World(SqlitePauseIndex(path, clock=SystemClock()), SystemClock())  # type: ignore[arg-type]


def _contend(path: Path, name: str, asked: list[Asked], cancels: bool, gate: Any, told: "Connection") -> None:
    """Answer, or cancel, each pause as the other process does the same; tell which ones this process won."""

    async def one(world: World, pause: Asked) -> bool:
        if cancels:
            return (await world.fence(pause.ref, cancel=True)).applied
        try:
            return isinstance(await world.resolve(pause, approved=name == "a", by=name), ResolvedPause)
        except NotPausedError:
            return False

    async def run() -> list[bool]:
        world = _world(path)
        await world.index.check()
        gate.wait(30)
        won = [await one(world, pause) for pause in asked]
        await world.index.close()
        return won

    told.send(asyncio.run(run()))


def _contended(path: Path, asked: list[Asked], *, cancels: bool) -> list[tuple[bool, bool]]:
    gate = SPAWN.Barrier(2)
    pipes = [SPAWN.Pipe(duplex=False) for _ in range(2)]
    processes = [
        SPAWN.Process(target=_contend, args=(path, name, asked, cancels and name == "b", gate, pipe[1]))
        for name, pipe in zip("ab", pipes, strict=True)
    ]
    for process in processes:
        process.start()
    try:
        assert all(pipe[0].poll(60) for pipe in pipes), "both processes tell what they won"
        one, other = [pipe[0].recv() for pipe in pipes]
    finally:
        for process in processes:
            process.join()
    return list(zip(one, other, strict=True))


async def test_two_processes_answer_the_same_pauses(path: Path) -> None:
    """S236, S237, S238, C01: of two processes with different answers exactly one wins each pause, and all agree on it."""
    world = _world(path)
    asked = [await world.asked(f"r{number}") for number in range(ROUNDS)]
    won = await asyncio.to_thread(_contended, path, asked, cancels=False)
    for pause, (first, second) in zip(asked, won, strict=True):
        assert first != second
        taken = await world.taken(pause)
        assert (taken.decided_by, taken.decision) == (("a", {"approved": True}) if first else ("b", {"approved": False}))
        (entry,) = await world.index.entries(ACME, pause.ref.root)
        assert entry.responder == taken.decided_by and entry.decision == taken.decision
    await world.index.close()


async def test_one_process_answers_and_another_cancels(path: Path) -> None:
    """S221, E01: answer against cancel: the cancel always applies, and the record says whether an answer came before."""
    world = _world(path)
    asked = [await world.asked(f"r{number}") for number in range(ROUNDS)]
    for pause, (answered, cancelled) in zip(
        asked, await asyncio.to_thread(_contended, path, asked, cancels=True), strict=True
    ):
        record = await world.record(pause)
        assert cancelled and record.status is PauseStatus.CANCELLED
        assert record.resolution is (PauseResolution.REPLIED if answered else PauseResolution.CANCELLED)
        assert (record.answer is not None) == answered and not (answered and record.acted_on)
        owed = [one.step_key for one in (await world.fence(pause.ref, cancel=True)).owed]
        assert owed == ([] if answered else [pause.key])
    await world.index.close()


def _write_until_killed(path: Path, told: "Connection") -> None:
    """Ask and answer as fast as it goes, and say so only after it was acknowledged."""

    async def run() -> None:
        world = _world(path)

        async def one(lane: int) -> None:
            for number in range(100_000):
                asked = await world.asked(f"r{lane}-{number}")
                await world.resolve(asked)
                told.send(asked)

        await asyncio.gather(*(one(lane) for lane in range(8)))

    asyncio.run(run())


@pytest.mark.parametrize("after", [40, 90, 140])
async def test_a_killed_process_loses_nothing_acknowledged(path: Path, after: int) -> None:
    """C04: killed with SIGKILL in the middle of its writes; what it was told was done is there, and the file works."""
    receive, send = SPAWN.Pipe(duplex=False)
    process = SPAWN.Process(target=_write_until_killed, args=(path, send))
    process.start()
    send.close()
    acknowledged: list[Asked] = []
    while len(acknowledged) < after and await asyncio.to_thread(receive.poll, 30):
        acknowledged.append(receive.recv())
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    try:
        while receive.poll(0):
            acknowledged.append(receive.recv())
    except EOFError:
        pass
    world = _world(path)
    assert len(acknowledged) >= after
    for asked in acknowledged:
        record = await world.record(asked)
        assert record.status is PauseStatus.RESOLVED and record.answer is not None
        assert len(await world.index.entries(ACME, asked.ref.root)) == 1
    await world.asked("after")
    await world.index.close()


async def test_a_change_in_another_process_is_seen(path: Path) -> None:
    """Protocol, Waiting: a caller that waits here is woken by what another connection commits."""
    here, there = _world(path), _world(path)
    asked = await here.asked()
    seq = await here.seq(asked.ref)
    wait = asyncio.create_task(here.index.changed(asked.ref.root, seen=seq, timeout=30))
    await asyncio.sleep(0)
    await there.resolve(asked)
    async with asyncio.timeout(5):
        assert await wait > seq
    await here.index.close()
    await there.index.close()


async def test_a_rest_in_another_process_is_seen(path: Path) -> None:
    """Protocol, Waiting: one who waits for a settled tree isn't kept by changes of another connection, and sees its end."""
    here, there = _world(path), _world(path)
    asked = await here.asked()
    seq = await here.seq(asked.ref)
    wait = asyncio.create_task(here.index.changed(asked.ref.root, seen=seq, timeout=30, settled=True))
    await asyncio.sleep(0)
    await there.resolve(asked)
    await asyncio.sleep(0.3)
    assert not wait.done()
    await there.end(asked.ref)
    async with asyncio.timeout(5):
        assert await wait > seq
    await here.index.close()
    await there.index.close()
