"""Replays history files: `python -m tests.replay.replay FILE …` prints the name of each that replays."""

import asyncio
import os
import sys
from pathlib import Path

from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from agboss.clocks import SystemClock
from agboss.stores.memory import InMemoryPauseIndex
from agboss.temporal.plugin import AgbossPlugin


async def main(files: list[Path]) -> None:
    plugin = AgbossPlugin(InMemoryPauseIndex(clock=SystemClock()))
    for file in files:
        history = WorkflowHistory.from_json(file.stem, file.read_text())
        await Replayer(workflows=[], plugins=[plugin]).replay_workflow(history)
        print(file.stem, flush=True)


if __name__ == "__main__":
    asyncio.run(main([Path(name) for name in sys.argv[1:]]))
    os._exit(0)
