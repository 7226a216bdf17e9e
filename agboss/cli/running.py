"""Running a command's asynchronous part."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any, TypeVar

from agboss.app import App
from agboss.application import Application
from agboss.cli.output import Output
from agboss.errors import AgbossError, TemporalUnavailableError
from agboss.settings import Settings

Result = TypeVar("Result")


class InterruptedCommandError(AgbossError):
    """Ctrl-C."""

    code = "interrupted"


def run_async(work: Coroutine[Any, Any, Result], output: Output, *, interrupted: str = "interrupted") -> Result:
    """Run ``work`` to its end, with logs on stderr.

    Raises:
        InterruptedCommandError: by Ctrl-C; ``interrupted`` says what that means.
    """
    with output.logging():
        try:
            return asyncio.run(work)
        except KeyboardInterrupt:
            raise InterruptedCommandError(interrupted) from None


def with_app(
    application: Application,
    work: Callable[[App], Awaitable[Result]],
    output: Output,
    *,
    interrupted: str = "interrupted",
) -> Result:
    """Connect the application by the environment's settings, and run ``work``."""

    async def connected() -> Result:
        settings = Settings.from_environment()
        try:
            async with application.connect(settings) as app:
                return await work(app)
        except TemporalUnavailableError as error:
            address = settings.temporal_address
            raise TemporalUnavailableError(f"{error} (AGBOSS_TEMPORAL_ADDRESS is {address})", **error.data) from error

    return run_async(connected(), output, interrupted=interrupted)


def seconds(timeout: float | None) -> timedelta | None:
    """A ``--timeout``."""
    return None if timeout is None else timedelta(seconds=timeout)
