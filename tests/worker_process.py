"""A worker in a process of its own, to be killed: `python -m tests.worker_process NAME FOLDER`.

Its desk channel writes each pause id into a file, and its tool each run's idempotency key. A payment to ``before-5`` or
``after-50`` is answered by the channel itself, that many milliseconds before or after its ``send`` returns.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from agboss import App, Application, ChannelOutcome, ScriptedModels, Settings, Terminal
from tests.rig import Told, application, play


class Office:
    """The rig's application, with effects that outlive the process."""

    def __init__(self, name: str, folder: Path) -> None:
        self.told, models = Told(), ScriptedModels()
        models.when().reply(play)
        self.told.on_send, self.told.on_run = self.send, self.run
        self.app: App | None = None
        self._folder = folder
        self._later: list[asyncio.Task[None]] = []
        self.declaration = application(self.told, models, name=name, services=[Terminal()])

    async def send(self, ask: Any) -> ChannelOutcome:
        arguments = ask.value.arguments
        _append(self._folder / "sent", f"{ask.pause_id}")
        _append(self._folder / "asked", f"{getattr(arguments, 'amount', '')}:{ask.pause_id}")
        while (self._folder / "block-send").exists():
            await asyncio.sleep(0.02)
        when, _, milliseconds = getattr(arguments, "to", "").partition("-")
        if when == "before":
            await self._answer(ask.pause_id)
            await asyncio.sleep(int(milliseconds) / 1000)
        elif when == "after":
            self._later.append(asyncio.create_task(self._answer(ask.pause_id, after=int(milliseconds) / 1000)))
        return ChannelOutcome.await_reply()

    async def _answer(self, pause_id: str, *, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        assert self.app is not None
        approved = {"approved": True}
        await self.app.resume(pause_id, decision=approved, answered_by="the-channel", tenant_id="acme", wait=False)

    async def run(self, tool: str, input: Any) -> str:
        fatal = self._folder / "die-before-run"
        if fatal.exists():
            # The decision is taken, and nothing has been done yet.
            fatal.unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        key = self.told.runs[-1][2]
        _append(self._folder / "ran", key)
        _append(self._folder / "ledger", f"{getattr(input, 'amount', '')}:{key}")
        while (self._folder / "block-run").exists():
            await asyncio.sleep(0.02)
        return f"{tool} done"


def declared(name: str, folder: Path) -> Application:
    """The application as another process knows it."""
    return Office(name, folder).declaration


def _append(path: Path, line: str) -> None:
    with path.open("a") as file:
        file.write(line + "\n")


async def main(name: str, folder: Path) -> None:
    office = Office(name, folder)
    async with office.declaration.worker(Settings.from_environment()) as app:
        office.app = app
        (folder / "ready").touch()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
