"""Worker and facade processes that tests start, talk to and kill."""

import asyncio
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agboss import Settings
from agboss.devserver.config import DevServerConfig
from agboss.stores.migrate import migrate
from tests.worker_process import declared


class Facade:
    """A facade process that is talked to."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def ask(self, **request: Any) -> None:
        """Send a request; ``heard`` has its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()

    def heard(self) -> dict[str, Any]:
        """The next answer."""
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


class Place:
    """An index, and worker and facade processes on it."""

    def __init__(self, temporal: DevServerConfig, folder: Path) -> None:
        self.folder, self.name = folder, f"kill-{secrets.token_hex(4)}"
        url = f"sqlite:///{folder / 'index.db'}"
        migrate(url)
        self.settings = Settings(index=url, temporal_address=temporal.address)
        self.application = declared(self.name, folder)

    @contextmanager
    def worker(self) -> "Iterator[subprocess.Popen[bytes]]":
        """A worker process; killed at the end."""
        (self.folder / "ready").unlink(missing_ok=True)
        with self._process("tests.worker_process", stdout=subprocess.DEVNULL) as process:
            yield process

    @contextmanager
    def facade(self, *arguments: str) -> "Iterator[Facade]":
        """A facade process that is ready."""
        with self._process("tests.facade_process", *arguments, stdout=subprocess.PIPE) as process:
            facade = Facade(process)
            assert facade.heard() == {"ready": True}
            yield facade

    @contextmanager
    def _process(self, module: str, *arguments: str, stdout: int) -> "Iterator[subprocess.Popen[bytes]]":
        environment = os.environ | {
            "AGBOSS_INDEX": self.settings.index,
            "AGBOSS_TEMPORAL_ADDRESS": self.settings.temporal_address,
        }
        command = [sys.executable, "-m", module, self.name, str(self.folder), *arguments]
        process = subprocess.Popen(
            command, env=environment, cwd=Path(__file__).parents[1], stdin=subprocess.PIPE, stdout=stdout
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    async def until_ready(self) -> None:
        """Return once the worker that was started last is ready."""
        async with asyncio.timeout(50):
            while not (self.folder / "ready").exists():
                await asyncio.sleep(0.02)

    def lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().split() if path.exists() else []

    async def until(self, name: str, count: int = 1) -> list[str]:
        async with asyncio.timeout(50):
            while len(self.lines(name)) < count:
                await asyncio.sleep(0.02)
        return self.lines(name)
