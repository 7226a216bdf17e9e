"""What is refused before anything is done, and what stays out of logs and caches."""

import asyncio
import json
import logging

import pytest

from agboss.web.limits import Limits
from agboss.web.rate import Buckets
from tests.rig import Rig, call
from tests.web.conftest import DESK, NO_TENANT_HAS, Site, code, let_in, served

ANSWERS = "/tenants/acme/answers"
GOOD = {"pause_id": NO_TENANT_HAS, "decision": {"approved": True}, "answered_by": "manager-17"}


async def test_bodies_that_are_no_json(site: Site) -> None:
    """Another media type, charset or coding is 415; what is no JSON, says a name twice, holds numbers or texts that can't be
    kept, or is too deep is 422; none is a fault of the server."""
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
        "multipart/form-data",
    ):
        refused = await site.send("POST", ANSWERS, content=json.dumps(GOOD), headers={"Content-Type": kind})
        assert code(refused) == (415, "http.media-type")
    assert code(await site.send("POST", ANSWERS, content=json.dumps(GOOD))) == (415, "http.media-type")
    packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert code(await site.send("POST", ANSWERS, content=b"{}", headers=packed)) == (415, "http.media-type")
    good = json.dumps(GOOD)
    for content in (
        "",
        "{",
        "null",
        "[]",
        good[:-1] + ', "pause_id": "twice"}',
        good.replace("true", "NaN"),
        good.replace("true", "1e999"),
        good.replace("true", "1" * 5000),
        good.replace(NO_TENANT_HAS, "\\ud800"),
        good.replace("true", "[" * 100 + "]" * 100),
        "[" * 100_000,
        b"\xff" + good.encode(),
        good.encode("utf-16"),
    ):
        refused = await site.send("POST", ANSWERS, content=content, headers={"Content-Type": "application/json"})
        assert code(refused) == (422, "dto.validation"), content[:80]
    with_charset = {"Content-Type": 'Application/JSON; charset="UTF-8"'}
    assert code(await site.send("POST", ANSWERS, content=good, headers=with_charset)) == (404, "pause.unknown")


async def test_bodies_that_are_too_large(site: Site) -> None:
    """256 kB are read and no more, whether the length is told, isn't, or is told wrong."""
    limit = Limits().body_bytes
    good = json.dumps(GOOD)
    fits = good.ljust(limit).encode()
    headers = {"Content-Type": "application/json"}
    assert code(await site.send("POST", ANSWERS, content=fits, headers=headers)) == (404, "pause.unknown")
    assert code(await site.send("POST", ANSWERS, content=fits + b" ", headers=headers)) == (413, "http.body-too-large")

    async def parts():  # type: ignore[no-untyped-def]
        for _ in range(5):
            yield b" " * (limit // 4)

    assert code(await site.send("POST", ANSWERS, content=parts(), headers=headers)) == (413, "http.body-too-large")


async def test_addresses_and_methods_there_are_not(site: Site) -> None:
    """404 and 405 are problem documents like all others; no page that loads scripts of other hosts is served."""
    for path in (
        "/",
        "/tenants",
        "/docs",
        "/redoc",
        "/tenants/acme/pending/",
        "/tenants//pending",
        "/tenants/a%2Fb/pending",
    ):
        assert code(await site.get(path)) == (404, "http.not-found"), path
    for method, path in (("GET", ANSWERS), ("HEAD", "/health"), ("DELETE", "/tenants/acme/pending"), ("OPTIONS", ANSWERS)):
        refused = await site.send(method, path)
        assert refused.status_code == 405, path
        assert refused.headers["allow"] == ("POST" if path == ANSWERS else "GET")
        assert method == "HEAD" or code(refused)[1] == "http.method"


async def test_looking_changes_nothing(rig: Rig, site: Site) -> None:
    """F01: GET and HEAD of every address, ten times each, as a mail scanner does, leave the pause waiting."""
    result = await rig.execute([call("pay-tool", amount=1)], "paid", thread_id="t1")
    before = await rig.app._index.progress("acme", result.execution_id)  # type: ignore[arg-type]
    paths = (await site.get("/openapi.json")).json()["paths"]
    assert len(paths) == 7
    for template in paths:
        path = template.format(tenant="acme", execution=result.execution_id, thread="t1")
        for _ in range(10):
            for method in ("GET", "HEAD"):
                for query in ("", f"?pause_id={rig.ids[0]}&approved=true&answered_by=manager-17"):
                    await site.send(method, path + query)
    assert await rig.app._index.progress("acme", result.execution_id) == before  # type: ignore[arg-type]
    assert (await site.answer(rig.ids[0])).status_code == 202


async def test_one_caller_is_slowed_down(rig: Rig) -> None:
    """Over its rate a caller is 429 with the seconds to wait; other callers aren't, and 401 takes nothing from it."""
    limits = Limits(per_second=0.05, burst=3)
    async with rig.declaration.serving(rig.settings) as serving:
        secrets = await let_in(serving.callers, DESK)
        async with served(serving, secrets, limits) as site:
            for _ in range(5):
                assert (await site.get("/tenants/acme/pending", by=None)).status_code == 401
            seen = [await site.get("/tenants/acme/pending") for _ in range(4)]
            assert [one.status_code for one in seen] == [200, 200, 200, 429]
            assert code(seen[-1]) == (429, "http.too-many-requests")
            assert 1 <= int(seen[-1].headers["retry-after"]) <= 20


def test_a_bucket_fills_again() -> None:
    """A burst, then as many as time has passed, never more than a burst; each caller for itself."""
    now = 0.0
    buckets = Buckets(per_second=2, burst=3, now=lambda: now)
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert buckets.take("b") == 0
    now = 0.25
    assert buckets.take("a") == 0.25
    now = 0.5
    assert [buckets.take("a") for _ in range(2)] == [0, 0.5]
    now = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


async def test_responses_are_kept_by_nobody(site: Site) -> None:
    """No cache, no sniffing, no frame, no server's name: on good responses and refusals."""
    seen = [await site.get(path, by=by) for path in ("/health", "/tenants/acme/pending", "/") for by in ("desk", None)]
    for one in seen:
        assert one.headers["cache-control"] == "no-store"
        assert one.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in one.headers["content-security-policy"]


async def test_the_access_log_has_no_ids(rig: Rig, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """F05: a line a request, with its method, its address's template, status, time and caller, and neither ids, queries,
    secrets nor names of people; no log line of any logger has them."""
    caplog.set_level(logging.DEBUG)
    result = await rig.execute([call("pay-tool", amount=1)], "paid", thread_id="t1")
    await site.answer(rig.ids[0], key="key-17", wait=True)
    await site.answer(rig.ids[0], by="portal", owner_id="customer-1")
    await site.get("/tenants/acme/pending?owner=customer-1", by="portal")
    await site.get(f"/tenants/acme/executions/{result.execution_id}?x={rig.ids[0]}")
    await site.get(f"/{rig.ids[0]}", by=None)
    lines = [json.loads(record.getMessage()) for record in caplog.records if record.name == "agboss.access"]
    assert all(line.pop("ms") >= 0 for line in lines)
    assert lines == [
        {"method": "POST", "route": "/tenants/{tenant}/answers", "status": 200, "caller": "desk"},
        {"method": "POST", "route": "/tenants/{tenant}/answers", "status": 403, "caller": "portal"},
        {"method": "GET", "route": "/tenants/{tenant}/pending", "status": 200, "caller": "portal"},
        {"method": "GET", "route": "/tenants/{tenant}/executions/{execution}", "status": 200, "caller": "desk"},
        {"method": "GET", "route": None, "status": 404, "caller": None},
    ]
    # Not the test's own client; and uvicorn's access log has a handler here only because pytest gives it one.
    servers = ("agboss", "uvicorn.error", "fastapi", "temporalio")
    told = [record.getMessage() for record in caplog.records if record.name.startswith(servers)]
    for secret in (rig.ids[0], site.secrets["desk"], site.secrets["portal"], "key-17"):
        assert not any(secret in line for line in told)


async def test_a_fault_of_the_server_tells_nothing(rig: Rig, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that nobody thought of is 500 without its text, and the server goes on."""

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("4111 in a stack trace")

    monkeypatch.setattr(type(site.serving.app), "pending", broken)
    failed = await site.get("/tenants/acme/pending")
    assert code(failed) == (500, "internal")
    assert "4111" not in failed.text and "Traceback" not in failed.text
    assert failed.headers["cache-control"] == "no-store"
    assert (await site.get("/health")).json() == {"status": "up"}


async def test_a_client_that_leaves(rig: Rig, site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """A client that leaves while it waits, or in the middle of its body, is no fault; its recorded answer stands."""
    caplog.set_level(logging.ERROR)
    running, go_on = asyncio.Event(), asyncio.Event()

    async def run(tool: str, input: object) -> str:
        running.set()
        await go_on.wait()
        return "done"

    rig.told.on_run = run
    result = await rig.execute([call("pay-tool", amount=1)], "paid")
    host, port = site.url.removeprefix("http://").split(":")
    body = json.dumps(GOOD | {"pause_id": rig.ids[0], "wait": True})
    head = f"POST {ANSWERS} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {site.secrets['desk']}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    for sent in (head + body[:10], head + body):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(sent.encode())
        await writer.drain()
        await (asyncio.sleep(0.2) if sent != head + body else running.wait())
        writer.close()
        await writer.wait_closed()
    go_on.set()
    await rig.until_ended(result)
    assert len(rig.told.runs) == 1
    assert caplog.records == []
