"""How fast answers are recorded, by one process on one SQLite file, without Temporal."""

import asyncio
import time

from agboss import App
from agboss.clocks import SystemClock
from agboss.domain.ids import PauseId, PauseKey, WorkflowId
from agboss.ports.pause_index import PauseIndex
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.temporal.gateway import WorkflowState
from agboss.temporal.reading_wire import Read, ReadResult
from agboss.temporal.wire import ExecutionInput
from agboss.testing.index_suite.world import SettableClock, World
from bench.desk import Desk
from bench.measures import Measure, of_rounds, of_samples, say
from bench.office import office
from bench.sizes import Sizes
from bench.stage import Stage

CALLERS = 32


class NoGateway:
    """A ``Gateway`` that does nothing, so that only the recording is measured."""

    async def start(self, workflow: str, workflow_id: WorkflowId, input: ExecutionInput) -> None:
        raise NotImplementedError

    async def look(self, workflow_id: WorkflowId, key: PauseKey) -> bool:
        return True

    async def cancel(self, workflow_id: WorkflowId) -> bool:
        raise NotImplementedError

    async def state(self, workflow_id: WorkflowId) -> WorkflowState:
        raise NotImplementedError

    async def start_reading(self, workflow_id: WorkflowId, step: Read) -> None:
        raise NotImplementedError

    async def reading_result(self, workflow_id: WorkflowId) -> ReadResult:
        raise NotImplementedError


async def measure_answers(on: Stage, sizes: Sizes) -> list[Measure]:
    """Pauses are prepared in the index as the steps of an execution would leave them, and then answered."""
    index = SqlitePauseIndex(on.index_file, clock=SystemClock())
    try:
        async with office(Desk()).connect(on.settings, index=index, gateway=NoGateway()) as app:
            say(f"   {sizes.answers} answers, one at a time, without the signal …")
            prepared = await _prepared(index, "single", sizes.answers + sizes.warm_up)
            for pause_id in prepared[: sizes.warm_up]:
                await answered(app, pause_id)
            single = [await answered(app, pause_id) for pause_id in prepared[sizes.warm_up :]]
            say(f"   {sizes.answer_rounds} rounds of {sizes.answers_a_round} answers by {CALLERS} callers …")
            rates: list[float] = []
            for number in range(sizes.answer_rounds + 1):
                prepared = await _prepared(index, f"round-{number}", sizes.answers_a_round)
                rates.append(await _rate(app, prepared))
    finally:
        await index.close()
    return [
        of_samples("resume_nowait_p50_ms", single, unit="ms", meaning="resume(wait=False), the signal left out"),
        # The first round warms up.
        of_rounds("answers_per_s", rates[1:], unit="/s", meaning=f"answers recorded by {CALLERS} callers of one process"),
    ]


async def answered(app: App, pause_id: str) -> float:
    """Answer; the milliseconds it took."""
    began = time.perf_counter()
    await app.resume(pause_id, decision={"approved": True}, answered_by="manager-17", tenant_id="acme", wait=False)
    return 1e3 * (time.perf_counter() - began)


async def _prepared(index: PauseIndex, name: str, count: int) -> list[PauseId]:
    """Ids of pauses that wait, each of an execution of its own."""
    world = World(index, SettableClock())
    asked = await asyncio.gather(*(world.asked(f"{name}-{number}") for number in range(count)))
    return [one.pause_id for one in asked]


async def _rate(app: App, pause_ids: list[PauseId]) -> float:
    """Answers a second."""
    left = iter(pause_ids)

    async def caller() -> None:
        for pause_id in left:
            await answered(app, pause_id)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(CALLERS):
            group.create_task(caller())
    return len(pause_ids) / (time.perf_counter() - began)
