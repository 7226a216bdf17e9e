"""What the benchmark runs on: one development server, one agboss index, a client, and the two workers."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.contrib.pydantic import pydantic_data_converter
from temporalio.worker import Worker

from agboss import Settings
from agboss.devserver.config import read_config
from agboss.devserver.process import free_port, start, stop, wait_until_ready
from agboss.stores.migrate import migrate
from agboss.temporal import limits
from bench.by_hand.activities import RefundActivities
from bench.by_hand.workflow import RefundByHand
from bench.cpu import Meter, meter_of
from bench.desk import Desk
from bench.office import office
from bench.sides import Agboss, ByHand, Side


@dataclass(frozen=True, slots=True)
class Stage:
    """Where everything is."""

    folder: Path
    client: Client
    """The benchmark's own; it also waits for both sides' workflows."""
    settings: Settings
    """Of agboss."""
    index_file: Path
    """Of those settings."""
    meter: Meter


@asynccontextmanager
async def stage(root: Path, folder: Path) -> AsyncIterator[Stage]:
    """A file-backed development server (as ``temporal-dev.yaml`` in ``root`` says, but on free ports) and a migrated index,
    both in ``folder``, which should be on a disk, not in memory: an answer is durable, and that costs."""
    config = read_config(root / "temporal-dev.yaml").model_copy(
        update={"port": free_port(), "ui_port": None, "database": str(folder / "temporal.db")}
    )
    index = f"sqlite:///{folder / 'index.db'}"
    index_file = migrate(index)
    log = folder / "temporal.log"
    process = start(config, log=log)
    try:
        await wait_until_ready(config, process, log=log)
        yield Stage(
            folder=folder,
            client=await Client.connect(config.address, data_converter=pydantic_data_converter),
            settings=Settings(index=index, temporal_address=config.address, temporal_namespace=config.namespace),
            index_file=index_file,
            meter=meter_of(process.pid),
        )
    finally:
        stop(process)


@asynccontextmanager
async def both_sides(on: Stage) -> AsyncIterator[tuple[Side, Side]]:
    """agboss and the hand-written side, each with a worker on its own task queue, both in this process."""
    async with AsyncExitStack() as stack:
        desk = Desk()
        app = await stack.enter_async_context(office(desk).worker(on.settings))
        other = Desk()
        queue = "by-hand"
        await stack.enter_async_context(_worker_by_hand(on, other, queue))
        yield Agboss(app, desk), ByHand(on.client, other, task_queue=queue)


def _worker_by_hand(on: Stage, desk: Desk, queue: str) -> Worker:
    """Sandboxed, as is the SDK's default, and with the same slots, cache and sticky timeout as agboss' worker."""
    activities = RefundActivities(desk)
    return Worker(
        on.client,
        task_queue=queue,
        workflows=[RefundByHand],
        activities=[activities.model_turn, activities.send_question, activities.run_refund],
        max_concurrent_activities=on.settings.max_concurrent_activities,
        max_concurrent_workflow_tasks=max(on.settings.max_concurrent_activities, 10),
        max_cached_workflows=on.settings.max_cached_executions,
        sticky_queue_schedule_to_start_timeout=limits.STICKY_TIMEOUT,
        graceful_shutdown_timeout=timedelta(seconds=5),
    )
