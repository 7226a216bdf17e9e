"""``agboss worker`` and ``agboss dev``: what runs until it is told to end."""

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import typer

from agboss.application import Application
from agboss.cli.exits import Exit
from agboss.cli.finding import find_application
from agboss.cli.options import ApplicationOption, JsonOption
from agboss.cli.output import Output, facts, plain
from agboss.cli.running import run_async
from agboss.cli.upkeep import migrated
from agboss.errors import ConfigurationError, TemporalUnavailableError
from agboss.settings import Settings
from agboss.stores import sqlite_path

SERVER_LOG = Path(".data/temporal.log")
_SERVER_GONE = "Temporal is gone, and the worker has ended; start both again, nothing that was recorded is lost"
_LOOK_SECONDS = 0.5
"""How often the server's process is looked at."""


def worker(ctx: typer.Context, application: ApplicationOption = None, json: JsonOption = False) -> None:
    """Run a worker until Ctrl-C or SIGTERM; steps that run may end first."""
    output: Output = ctx.obj
    declared, settings = find_application(application), Settings.from_environment()

    async def serve() -> None:
        async with declared.worker(settings):
            _ready(output, declared, settings, ui=None)
            await asyncio.Event().wait()

    run_async(_until_told(serve, output), output)
    output.note("worker ended")


def dev(ctx: typer.Context, application: ApplicationOption = None, json: JsonOption = False) -> None:
    """Run a Temporal development server, the index's migration and a worker, until Ctrl-C."""
    output: Output = ctx.obj
    declared, settings = find_application(application), Settings.from_environment()
    servers: list[subprocess.Popen[bytes]] = []

    async def serve() -> None:
        async with _development_server(output, servers) as (address, namespace, ui):
            own = settings.model_copy(update={"temporal_address": address, "temporal_namespace": namespace})
            async with declared.worker(own):
                _ready(output, declared, own, ui=ui)
                if address != settings.temporal_address:
                    output.note(f"for other commands: export AGBOSS_TEMPORAL_ADDRESS={address}")
                while servers[0].poll() is None:  # noqa: ASYNC110 — a child process sets no event
                    await asyncio.sleep(_LOOK_SECONDS)
                output.note(f"the development server has ended; see {SERVER_LOG}")
        raise TemporalUnavailableError(_SERVER_GONE)

    migrated(settings)
    run_async(_until_told(serve, output, servers), output)
    output.note("worker and server ended")


@asynccontextmanager
async def _development_server(
    output: Output, servers: "list[subprocess.Popen[bytes]]"
) -> AsyncIterator[tuple[str, str, str | None]]:
    """Address, namespace and page of the server that temporal-dev.yaml describes; its process joins ``servers``."""
    try:
        from agboss.devserver.config import FILE, read_config
        from agboss.devserver.process import start, stop, wait_until_ready
    except ModuleNotFoundError as error:
        raise ConfigurationError("`agboss dev` needs pip install 'agboss-temporal[dev]'") from error
    config = read_config(Path(FILE))
    SERVER_LOG.parent.mkdir(parents=True, exist_ok=True)
    output.note("starting Temporal's development server …")
    server = start(config, log=SERVER_LOG)
    servers.append(server)
    try:
        await wait_until_ready(config, server, log=SERVER_LOG)
        yield config.address, config.namespace, config.ui
    finally:
        stop(server)


async def _until_told(
    serve: Callable[[], Awaitable[None]], output: Output, children: "Sequence[subprocess.Popen[bytes]]" = ()
) -> None:
    """Run ``serve`` until SIGINT or SIGTERM, and let it end in order, whatever it was doing; at the second signal at once."""
    serving, told = asyncio.ensure_future(serve()), asyncio.Event()

    def end() -> None:
        if told.is_set():
            # As if killed, which everything is made for. To unwind under running steps would let them fail for good.
            output.note("ended at once; what ran is repeated by another worker")
            for child in children:
                child.kill()
            os._exit(Exit.INTERRUPTED)
        output.note("ending: steps that run may end first; again ends at once")
        told.set()
        serving.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    try:
        await serving
    except asyncio.CancelledError:
        # A worker cancels the task it serves in when its server is gone for good.
        if not told.is_set():
            raise TemporalUnavailableError(_SERVER_GONE) from None
    except ExceptionGroup as several:
        # A worker's chores run in a task group; one fault of theirs is that fault.
        raise several.exceptions[0] from several
    except RuntimeError as error:
        if "validation failed" not in str(error):
            raise
        # The SDK's one way of saying that the server knows no such namespace, or doesn't let us in.
        raise ConfigurationError(
            f"Temporal doesn't take this worker; check AGBOSS_TEMPORAL_NAMESPACE and AGBOSS_TEMPORAL_API_KEY: {_brief(error)}"
        ) from error


def _brief(error: RuntimeError) -> str:
    return str(error).partition(": Status {")[0]


def _ready(output: Output, application: Application, settings: Settings, *, ui: str | None) -> None:
    index = settings.index if settings.index == "memory:" else str(sqlite_path(settings.index).absolute())
    document = {
        "application": application.name,
        "task_queue": settings.task_queue or application.name,
        "temporal_address": settings.temporal_address,
        "temporal_namespace": settings.temporal_namespace,
        "index": index,
    }
    document |= {} if ui is None else {"ui": ui}
    shown = facts(**{name.replace("temporal_", "Temporal "): value for name, value in document.items()})
    output.result(document, [shown, plain("ready; Ctrl-C ends it", "green")])
