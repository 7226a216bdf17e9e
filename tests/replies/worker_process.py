"""A worker of the replies' office in a process of its own, to be killed: `python -m tests.replies.worker_process NAME FOLDER`.

Each reply that is read is written into the file ``read``, each run into ``ran``; while ``block-read`` is there, reading hangs.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from agboss import Application, ReplyInterpretation, ScriptedModels, Settings
from tests.replies.office import Told, declared
from tests.rig import play


def office(name: str, folder: Path) -> tuple[Application, Told]:
    """The application as another process knows it."""
    told, clerk = Told(), ScriptedModels(serves=["*"])
    clerk.when().reply(play)
    asks = told.asks

    async def interpret(input: Any) -> Any:
        with (folder / "read").open("a") as file:
            file.write(f"{input.ask.call_id}\n")
        while (folder / "block-read").exists():
            await asyncio.sleep(0.02)
        return ReplyInterpretation.understood({"approved": input.reply == "yes"})

    class Asks(list[Any]):
        def append(self, ask: Any) -> None:
            asks.append(ask)
            with (folder / "sent").open("a") as file:
                file.write(f"{ask.pause_id}\n")

    class Runs(list[Any]):
        def append(self, run: Any) -> None:
            with (folder / "ran").open("a") as file:
                file.write("run\n")

    told.asks, told.runs, told.interpret = Asks(), Runs(), interpret
    return declared(told, [clerk], name=name), told


async def main(name: str, folder: Path) -> None:
    declaration, _ = office(name, folder)
    async with declaration.worker(Settings.from_environment()):
        (folder / "ready").touch()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
