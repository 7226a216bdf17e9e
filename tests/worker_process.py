"""A worker in a process of its own, to be killed: `python -m tests.worker_process NAME FOLDER`.

Its desk channel writes each pause id into a file, and its tool each run's idempotency key.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from agboss import Application, ChannelOutcome, ScriptedModels, Settings, Terminal
from tests.rig import Told, application, play


def declared(name: str, folder: Path) -> Application:
    """The rig's application, with effects that outlive the process."""
    told, models = Told(), ScriptedModels()
    models.when().reply(play)

    async def send(ask: Any) -> ChannelOutcome:
        _append(folder / "sent", ask.pause_id)
        while (folder / "block-send").exists():
            await asyncio.sleep(0.02)
        return ChannelOutcome.await_reply()

    async def run(tool: str, input: object) -> str:
        _append(folder / "ran", told.runs[-1][2])
        while (folder / "block-run").exists():
            await asyncio.sleep(0.02)
        return f"{tool} done"

    told.on_send, told.on_run = send, run
    return application(told, models, name=name, services=[Terminal()])


def _append(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


async def main(name: str, folder: Path) -> None:
    async with declared(name, folder).worker(Settings.from_environment()):
        (folder / "ready").touch()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
