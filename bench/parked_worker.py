"""A worker in a process of its own, to be looked at and killed: `python -m bench.parked_worker NAME FOLDER`.

Its channel writes a line with the id to answer by into FOLDER/asked; FOLDER/ready appears when it runs.
"""

import asyncio
import sys
from pathlib import Path

from agboss import Settings
from bench.desk import Desk
from bench.office import office


async def main(name: str, folder: Path) -> None:
    """Work until killed."""
    asked = (folder / "asked").open("a", buffering=1)
    desk = Desk(lambda execution, answer_to: print(execution, answer_to, file=asked))
    async with office(desk, name=name).worker(Settings.from_environment()):
        (folder / "ready").touch()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
