"""The OpenAPI document, and whether the server does what it says."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from agboss.errors import TemporalUnavailableError
from agboss.ports.callers import Caller
from agboss.settings import Settings
from agboss.stores.memory import InMemoryPauseIndex
from agboss.testing.index_suite.world import SettableClock
from agboss.web.app import create_web
from agboss.web.limits import Limits
from agboss.web.problems import STATUSES
from tests.rig import ScriptedModels, Terminal, Told, application
from tests.web.conftest import let_in


class Away:
    """A Temporal that is never there."""

    async def start(self, *_: Any) -> None:
        raise TemporalUnavailableError("away")

    async def look(self, *_: Any) -> bool:
        raise TemporalUnavailableError("away")

    cancel = state = look


@dataclass
class Made:
    app: ASGIApp
    secret: str
    document: dict[str, Any]


@pytest.fixture(scope="module")
def made() -> Iterator[Made]:
    """The HTTP interface in this process, over an index in memory, with a caller that may do everything."""
    declared = application(Told(), ScriptedModels(serves=["scripted/*"]), services=[Terminal()])
    everything = Caller(name="all", tenants=("*",), answers_as=("m", "slack:"), owners=("*",), starts=True)
    stack = AsyncExitStack()
    with asyncio.Runner() as runner:
        index = InMemoryPauseIndex(clock=SettableClock())
        serving = runner.run(stack.enter_async_context(declared.serving(Settings(), index=index, gateway=Away())))
        (secret,) = runner.run(let_in(serving.callers, everything)).values()
        app = create_web(serving, Limits(per_second=1_000_000, burst=1_000_000))
        yield Made(app, secret, TestClient(app).get("/openapi.json").json())
        runner.run(stack.aclose())


@pytest.fixture(scope="module")
def described(made: Made) -> Any:
    return schemathesis.openapi.from_asgi("/openapi.json", made.app)


ADDRESSES = [
    ("/health", "GET"),
    ("/ready", "GET"),
    ("/tenants/{tenant}/answers", "POST"),
    ("/tenants/{tenant}/executions", "POST"),
    ("/tenants/{tenant}/executions/{execution}", "GET"),
    ("/tenants/{tenant}/pending", "GET"),
    ("/tenants/{tenant}/threads/{thread}/cancel", "POST"),
]
AS_PROMISED = [status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.mark.parametrize(("path", "method"), ADDRESSES)
def test_no_request_is_a_fault_of_the_server(described: Any, made: Made, path: str, method: str) -> None:
    """Whatever is sent, valid or not, is responded to with a documented status and document, and with 5xx only where Temporal
    is needed, which is away here."""

    @given(case=described[path][method].as_strategy())
    @settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def each(case: schemathesis.Case) -> None:
        response = case.call(headers={"Authorization": f"Bearer {made.secret}"})
        case.validate_response(response, checks=AS_PROMISED)
        if response.status_code >= 500:
            assert (path, response.json().get("code")) == ("/tenants/{tenant}/executions", "temporal.unavailable")

    each()


@pytest.mark.parametrize(("path", "method"), ADDRESSES[2:])
def test_no_request_without_a_secret_is_more_than_401(described: Any, path: str, method: str) -> None:
    """Whatever is sent without a secret is 401, as documented."""

    @given(case=described[path][method].as_strategy())
    @settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def each(case: schemathesis.Case) -> None:
        response = case.call(headers={"Authorization": "Bearer none"})
        assert response.status_code == 401
        case.validate_response(response, checks=AS_PROMISED)

    each()


def test_every_status_is_documented(made: Made) -> None:
    """Each address documents its refusals as problem documents, and takes a secret unless it is for anybody; no pause id is
    part of an address, and each status of the table is documented somewhere."""
    assert sorted((p, m.upper()) for p, methods in made.document["paths"].items() for m in methods) == ADDRESSES
    documented = set()
    for path, methods in made.document["paths"].items():
        assert "pause" not in path
        for operation in methods.values():
            documented |= {int(status) for status in operation["responses"]}
            if path in ("/health", "/ready"):
                continue
            assert operation["security"] == [{"HTTPBearer": []}]
            assert {"401", "403", "429", "500", "503"} <= set(operation["responses"])
            for status, response in operation["responses"].items():
                kind = "application/json" if int(status) < 400 else "application/problem+json"
                assert list(response["content"]) == [kind], (path, status)
            assert not any("pause" in parameter["name"] for parameter in operation["parameters"])
    assert set(STATUSES.values()) - documented == {405}


def test_references_lead_somewhere(made: Made) -> None:
    """Every $ref of the document is in it."""
    found: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            found.extend([value["$ref"]] if isinstance(value.get("$ref"), str) else [])
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(made.document)
    assert found
    for reference in found:
        place: Any = made.document
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def test_the_page_says_the_same(made: Made) -> None:
    """docs/http.md has every address, and every code of the HTTP interface's table beside its status."""
    page = (Path(__file__).parents[2] / "docs/http.md").read_text()
    shown = page.replace("{id}", "{execution}").replace("?owner=&limit=", "")
    assert all(f"`{method} {path}`" in shown for path, method in ADDRESSES)
    rows: dict[int, str] = {}
    for line in page.splitlines():
        for status in re.findall(r"\d{3}", line.split("|")[1]) if line.startswith("| ") and line[2].isdigit() else ():
            rows[int(status)] = line
    general = {"pause", "run", ""}
    for code, status in STATUSES.items():
        assert code in general or f"`{code}`" in rows[status], (code, status)
