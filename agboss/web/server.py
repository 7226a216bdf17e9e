"""Serving by uvicorn: on loopback, or behind something that ends TLS; ended by a signal, in order."""

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import uvicorn
from starlette.types import ASGIApp

from agboss.errors import ConfigurationError
from agboss.web.door import ACCESS

_GRACE_SECONDS = 20
"""How long requests may go on after a signal; an answer is recorded in milliseconds, and who waits can look again."""
_BACKLOG = 1024


def bound(host: str, port: int, *, behind_tls: bool) -> socket.socket:
    """A socket to serve on; port 0 is any that is free.

    Raises:
        ConfigurationError: the address is taken or no address, or others could reach it and read secrets on their way.
    """
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise ConfigurationError("--host is no IP address and not localhost") from None
    if not (loopback or behind_tls):
        raise ConfigurationError(
            f"--host {host} can be reached from outside, and secrets would go there in plain text; put a proxy that speaks TLS "
            "in front and say --behind-tls, or use 127.0.0.1"
        )
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        raise ConfigurationError(f"{host} port {port} can't be served on: {error}; is something else there?") from error


def log_access() -> None:
    """One JSON line a request, on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    ACCESS.addHandler(handler)
    ACCESS.setLevel(logging.INFO)
    ACCESS.propagate = False


async def serve(app: ASGIApp, at: socket.socket, *, on_ready: Callable[[], None], on_end: Callable[[], None]) -> None:
    """Serve until SIGINT or SIGTERM; requests under way may end first, at the second signal not."""
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        lifespan="off",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Server(config, on_ready)
    loop = asyncio.get_running_loop()

    def end() -> None:
        if server.should_exit:
            server.force_exit = True
        else:
            on_end()
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    try:
        await server.serve(sockets=[at])
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


class _Server(uvicorn.Server):
    """Says when it listens, and leaves signals to ``serve``: uvicorn's own way would end the process by the signal."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
