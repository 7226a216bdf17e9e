"""What waiting costs: memory of a worker for each parked execution, an answer to one, and a killed worker."""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agboss import App, ExecutionStatus, StartText
from bench.answers import answered
from bench.desk import Desk
from bench.measures import Measure, of_rounds, of_samples, say
from bench.office import BenchWorkflow, office
from bench.sides import TEXT
from bench.sizes import Sizes
from bench.stage import Stage

NAME = "bench-parked"
AT_ONCE = 32
SETTLED_SECONDS = 2.0
"""After the last question: until the worker has nothing left to do."""
BETWEEN_ANSWERS_SECONDS = 0.2
"""Until the worker has gone on with what was answered: else its work on the last answer would be timed as the next one's."""
LONGEST_SECONDS = 60.0


async def measure_parked(on: Stage, sizes: Sizes) -> list[Measure]:
    """Executions are started from here; a worker process runs them until they wait."""
    async with office(Desk(), name=NAME).connect(on.settings) as app:
        with _worker(on) as process:
            await _ready(on, process)
            say(f"   {sizes.parked} executions parked in a worker of its own …")
            await _park(app, on, sizes.parked_before, process)
            before = _resident_kb(process.pid)
            await _park(app, on, sizes.parked, process)
            grown = _resident_kb(process.pid) - before
            say(f"   {sizes.signals} answers with the signal, one at a time …")
            with_signal: list[float] = []
            for _, answer_to in _asked(on)[: sizes.signals]:
                with_signal.append(await answered(app, answer_to))
                await asyncio.sleep(BETWEEN_ANSWERS_SECONDS)
        say(f"   {sizes.kills} answers after a killed worker …")
        waiting = _asked(on)[-sizes.kills :]
        killed = [await _after_a_kill(app, on, execution, answer_to) for execution, answer_to in waiting]
    return [
        of_samples("resume_nowait_signal_p50_ms", with_signal, unit="ms", meaning="resume(wait=False) with its signal"),
        Measure(
            key="parked_kb",
            value=grown / sizes.parked,
            unit="kB",
            meaning=f"resident memory of a worker for each of {sizes.parked} parked executions",
        ),
        of_rounds(
            "kill_to_answer_s",
            killed,
            unit="s",
            meaning="from a new worker's readiness to the end of an execution whose worker was killed",
        ),
    ]


async def _park(app: App, on: Stage, count: int, process: "subprocess.Popen[bytes]") -> None:
    """Start ``count`` executions and return when all of them rest."""
    left = iter(range(count))
    goal = len(_asked(on)) + count

    async def lane() -> None:
        for _ in left:
            paused = await app.execute(BenchWorkflow, StartText(text=TEXT), tenant_id="acme")
            if paused.status is not ExecutionStatus.PAUSED:
                raise RuntimeError(f"an execution that should wait is {paused.status.value}")

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(lane())
    if process.poll() is not None or len(_asked(on)) != goal:
        raise RuntimeError(f"{len(_asked(on))} questions were asked instead of {goal}")
    await asyncio.sleep(SETTLED_SECONDS)


async def _after_a_kill(app: App, on: Stage, execution: str, answer_to: str) -> float:
    """Answer while no worker runs (the one that had the execution in its cache was killed), start one, and wait; the
    seconds from its readiness to the execution's end."""
    await answered(app, answer_to)
    with _worker(on) as process:
        await _ready(on, process)
        began = time.perf_counter()
        async with asyncio.timeout(LONGEST_SECONDS):
            while True:
                result = await app.execution(execution, tenant_id="acme")
                if result is not None and result.status is ExecutionStatus.FINISHED:
                    return time.perf_counter() - began
                await asyncio.sleep(0.005)


@contextmanager
def _worker(on: Stage) -> "Iterator[subprocess.Popen[bytes]]":
    """A worker process; killed with SIGKILL at the block's end."""
    (on.folder / "ready").unlink(missing_ok=True)
    environment = os.environ | {
        "AGBOSS_INDEX": on.settings.index,
        "AGBOSS_TEMPORAL_ADDRESS": on.settings.temporal_address,
        "AGBOSS_TEMPORAL_NAMESPACE": on.settings.temporal_namespace,
    }
    command = [sys.executable, "-m", "bench.parked_worker", NAME, str(on.folder)]
    process = subprocess.Popen(command, env=environment, cwd=Path(__file__).parents[1])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def _ready(on: Stage, process: "subprocess.Popen[bytes]") -> None:
    async with asyncio.timeout(LONGEST_SECONDS):
        while not (on.folder / "ready").exists():
            if process.poll() is not None:
                raise RuntimeError(f"the worker ended with code {process.returncode}")
            await asyncio.sleep(0.005)


def _asked(on: Stage) -> list[tuple[str, str]]:
    """Execution and id to answer by, in the order of asking."""
    path = on.folder / "asked"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(execution, answer_to) for execution, answer_to in (line.split() for line in lines)]


def _resident_kb(pid: int) -> int:
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError("this system doesn't tell a process's memory in /proc")
    return int(found[1])
