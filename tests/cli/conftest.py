"""A project in a folder, and the command line run in it: in a process of its own, or in this one."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agboss.cli.app import app
from agboss.devserver.config import DevServerConfig
from agboss.stores.migrate import migrate

ROOT = Path(__file__).parents[2]
NOWHERE = "127.0.0.1:1"
"""Nobody listens there."""
SHOP = """
from pathlib import Path
from tests.worker_process import declared
shop = declared({name!r}, Path(__file__).parent)
"""

GOOD = "from tests.rig import *\nmade = application(Told(), ScriptedModels(serves=['scripted/*']), services=[Terminal()])\n"
"""A module with an application that fits together."""


@dataclass
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


@dataclass
class Project:
    """A folder with a pyproject.toml, an application and an index of its own."""

    folder: Path
    environment: dict[str, str]

    def run(self, *arguments: str, input: str = "", **environment: str) -> Done:
        """Run a command to its end, in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "agboss.cli", *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            input=input,
            capture_output=True,
            text=True,
            timeout=50,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def serving(self, *arguments: str, **environment: str) -> "Iterator[subprocess.Popen[str]]":
        """Run `worker` or `dev` beside the test, from its readiness on; its stderr is in `serving.err`."""
        log = open(self.folder / "serving.err", "a")  # noqa: SIM115 — the process keeps it
        process = subprocess.Popen(
            [sys.executable, "-m", "agboss.cli", *arguments],
            cwd=self.folder,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith(("ready", "{")):
                    break
            else:
                pytest.fail(f"{arguments} ended with {process.wait()} before it was ready")
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            log.close()

    def sent(self) -> list[str]:
        """The pause ids that channels were given."""
        file = self.folder / "sent"
        return file.read_text().split() if file.exists() else []


def make_project(folder: Path, address: str) -> Project:
    """A project with an index, whose application plays what an input's text says."""
    migrate(f"sqlite:///{folder / '.data/agboss.db'}")
    (folder / "shop.py").write_text(SHOP.format(name=f"cli-{secrets.token_hex(4)}"))
    (folder / "pyproject.toml").write_text('[tool.agboss]\napplication = "shop:shop"\n')
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AGBOSS_")}
    more = {"PYTHONPATH": str(ROOT), "AGBOSS_TEMPORAL_ADDRESS": address, "PYTHONUNBUFFERED": "1"}
    return Project(folder, kept | more)


@pytest.fixture
def project(temporal: DevServerConfig, tmp_path: Path) -> Project:
    """A project on this test process's development server."""
    return make_project(tmp_path, temporal.address)


@pytest.fixture
def lonely(tmp_path: Path) -> Project:
    """A project without Temporal."""
    return make_project(tmp_path, NOWHERE)


def here(*arguments: str, input: str = "") -> Done:
    """Run a command in this process, in the working directory."""
    result = CliRunner().invoke(app, list(arguments), input=input)
    return Done(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, for commands that run in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AGBOSS_APPLICATION", raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def module(folder: Path, text: str) -> str:
    """A module of a name that no other test has."""
    name = f"found_{secrets.token_hex(4)}"
    (folder / f"{name}.py").write_text(text)
    return name
