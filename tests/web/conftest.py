"""The rig behind a real HTTP server, and callers with secrets."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn

from agboss.ports.callers import Caller, Callers
from agboss.serving import Serving
from agboss.web.app import create_web
from agboss.web.limits import Limits
from agboss.web.secrets import new_secret, secret_hash
from tests.rig import Rig

DESK = Caller(name="desk", tenants=("acme",), answers_as=("manager-17", "slack:"), starts=True)
"""Answers on the channel's side, starts and cancels."""
PORTAL = Caller(name="portal", tenants=("acme",), owners=("customer-1",), starts=True)
"""Acts for one owner."""
OTHER = Caller(name="other", tenants=("other",), answers_as=("manager-17",), owners=("*",), starts=True)
"""Has every right, for another tenant."""
NO_TENANT_HAS = "00000000000000000000000000000000"
"""A well-formed id."""


@dataclass
class Site:
    """A server, and clients for its callers."""

    url: str
    serving: Serving
    secrets: dict[str, str]

    async def send(self, method: str, path: str, *, by: str | None = "desk", **more: Any) -> httpx.Response:
        """One request, on a connection of its own."""
        headers = {} if by is None else {"Authorization": f"Bearer {self.secrets[by]}"}
        headers |= more.pop("headers", {})
        # Plain HTTP on loopback: without verify=False each client would load the system's certificates first.
        async with httpx.AsyncClient(base_url=self.url, timeout=40, verify=False) as client:
            return await client.request(method, path, headers=headers, **more)

    async def get(self, path: str, **more: Any) -> httpx.Response:
        return await self.send("GET", path, **more)

    async def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return await self.send("POST", path, json=body, **more)

    async def answer(self, pause_id: str, *, key: str | None = None, by: str = "desk", **more: Any) -> httpx.Response:
        """Approve as manager-17 for acme, unless told otherwise."""
        body: dict[str, Any] = {"pause_id": pause_id} | more
        if "decision" not in more and "reply" not in more:
            body["decision"] = {"approved": True}
        if "owner_id" not in more:
            body.setdefault("answered_by", "manager-17")
        headers = {} if key is None else {"Idempotency-Key": key}
        return await self.post(f"/tenants/{body.pop('tenant', 'acme')}/answers", body, by=by, headers=headers)


async def let_in(callers: Callers, *who: Caller) -> dict[str, str]:
    """Add callers; their secrets by name."""
    secrets = {}
    for caller in who:
        secrets[caller.name] = new_secret()
        await callers.add(caller, secret_hash(secrets[caller.name]))
    return secrets


@asynccontextmanager
async def served(serving: Serving, secrets: dict[str, str], limits: Limits | None = None) -> AsyncIterator[Site]:
    """A server in this process, on a free port."""
    config = uvicorn.Config(create_web(serving, limits), lifespan="off", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    at = socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve(sockets=[at]))
    while not server.started:
        await asyncio.sleep(0.01)
    yield Site(f"http://127.0.0.1:{at.getsockname()[1]}", serving, secrets)
    server.should_exit = True
    await task


@pytest.fixture
async def site(rig: Rig) -> AsyncIterator[Site]:
    """The rig's application, served, with its three callers."""
    async with AsyncExitStack() as stack:
        serving = await stack.enter_async_context(rig.declaration.serving(rig.settings))
        secrets = await let_in(serving.callers, DESK, PORTAL, OTHER)
        yield await stack.enter_async_context(served(serving, secrets))


def code(response: httpx.Response) -> tuple[int, str]:
    """A refusal's status and code."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    document = response.json()
    assert document["status"] == response.status_code
    return response.status_code, document["code"]
