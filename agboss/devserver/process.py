"""A Temporal development server as a child process: it is ready when it answers, and it dies with its parent."""

import asyncio
import contextlib
import ctypes
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from temporalio.client import Client
from temporalio.service import RPCError

from agboss.devserver.config import DevServerConfig
from agboss.errors import ConfigurationError, TemporalUnavailableError

READY_SECONDS = 60.0
_PR_SET_PDEATHSIG = 1


@contextlib.asynccontextmanager
async def dev_server(config: DevServerConfig, *, log: Path | None = None) -> AsyncIterator[DevServerConfig]:
    """Run a server inside the block.

    Raises:
        ConfigurationError: no ``temporal`` program, or its port is taken.
        TemporalUnavailableError: it didn't come up.
    """
    process = start(config, log=log)
    try:
        await wait_until_ready(config, process, log=log)
        yield config
    finally:
        stop(process)


def start(config: DevServerConfig, *, log: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start the process, without waiting for it."""
    for port in filter(None, (config.port, config.ui_port)):
        if _taken(config.ip, port):
            raise ConfigurationError(
                f"port {port} is taken, by another Temporal perhaps; stop that one, or set other ports in temporal-dev.yaml"
            )
    if config.database is not None:
        Path(config.database).parent.mkdir(parents=True, exist_ok=True)
    output = open(log, "ab") if log is not None else subprocess.DEVNULL  # noqa: SIM115 — the child keeps it
    try:
        return subprocess.Popen(
            [program_beside_python("temporal", "agboss-temporal[dev]"), "server", "start-dev", *config.arguments()],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            # Not on Ctrl-C with us: the worker ends its steps first, then we end the server.
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
    finally:
        if log is not None and not isinstance(output, int):
            output.close()


def stop(process: "subprocess.Popen[bytes]") -> None:
    """End the process and wait for its end."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port(ip: str = "127.0.0.1") -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((ip, 0))
        port: int = probe.getsockname()[1]
        return port


async def wait_until_ready(config: DevServerConfig, process: "subprocess.Popen[bytes]", *, log: Path | None = None) -> None:
    """Return when the namespace answers."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + READY_SECONDS
    while True:
        if process.poll() is not None:
            where = f"; see {log}" if log is not None else ""
            raise TemporalUnavailableError(f"the development server ended with code {process.returncode}{where}")
        try:
            client = await Client.connect(config.address, namespace=config.namespace)
            async for _ in client.list_workflows("AgbossPending > 0", limit=1):
                break
            return
        except (RuntimeError, RPCError) as error:
            if loop.time() > deadline:
                raise TemporalUnavailableError(
                    f"the development server did not answer at {config.address} within {READY_SECONDS:g} s"
                ) from error
            await asyncio.sleep(0.05)


def program_beside_python(name: str, distribution: str) -> str:
    """Where a program is that a package brings: beside this interpreter, or on the path.

    Raises:
        ConfigurationError: nowhere.
    """
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise ConfigurationError(f"there is no `{name}` program; install it with `pip install '{distribution}'`")
    return found


def _taken(ip: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ip, port))
        except OSError:
            return True
    return False


def _die_with_parent() -> None:
    """In the child, on Linux: a killed parent leaves no server behind."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
