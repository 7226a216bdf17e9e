"""Around every request: one line in the access log, headers that keep responses out of caches, and the last resort where
something fails that nobody thought of."""

import json
import logging
import time
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agboss.web.problems import problem
from agboss.web.responses import response_of

ACCESS = logging.getLogger("agboss.access")
_log = logging.getLogger("agboss.web")

_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
]


class Door:
    """ASGI around ASGI."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except ClientDisconnect:
            pass
        except Exception as error:
            _log.exception("a request failed", exc_info=error)
            if not status:
                await response_of(problem("internal"))(scope, receive, sending)
        finally:
            ACCESS.info(json.dumps(_line(scope, status, begun)))


def _line(scope: Scope, status: int, begun: float) -> dict[str, Any]:
    """Of the address its template alone: ids stay out of logs, and whole addresses with queries, too."""
    return {
        "method": scope["method"],
        "route": getattr(scope.get("route"), "path", None),
        "status": status or None,
        "ms": round((time.perf_counter() - begun) * 1000, 1),
        "caller": scope.get("state", {}).get("caller"),
    }
