"""`agboss web` and `agboss secrets`, as processes."""

import asyncio
import json
import signal
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from agboss.clocks import SystemClock
from agboss.devserver.config import DevServerConfig
from agboss.devserver.process import free_port
from agboss.domain.pauses import PauseStatus
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.testing.index_suite.world import SettableClock, World
from tests.cli.conftest import Project, make_project
from tests.rig import call, script

pytestmark = pytest.mark.timeout(150)
PAY = {"text": script([call("pay-tool", amount=10)], "paid")}
MANY = 100


@pytest.fixture
def project(temporal: DevServerConfig, tmp_path: Path) -> Project:
    """A project on this test process's development server."""
    return make_project(tmp_path, temporal.address)


def let_in(project: Project, *more: str) -> dict[str, str]:
    """A caller, by the command; its headers."""
    added = project.run("secrets", "add", "desk", "--tenant", "acme", "--answers-as", "manager-17", *more, "--json")
    assert added.code == 0, added.err
    return {"Authorization": f"Bearer {added.document['secret']}"}


def test_secrets(project: Project) -> None:
    """A secret is shown once, by `add`, and is neither in the list nor in the index; a name is taken once; who is revoked is
    let in no more; an unknown name is refused with 3, one without a tenant with 2."""
    added = project.run("secrets", "add", "desk", "--tenant", "acme", "--answers-as", "slack:", "--owners", "--starts")
    (line,) = (line for line in added.out.splitlines() if line.startswith("secret"))
    secret = line.split()[-1]
    assert secret.startswith("agboss_") and len(secret) == 50
    again = project.run("secrets", "add", "desk", "--tenant", "acme", "--json")
    assert (again.code, again.document["error"]["code"]) == (2, "dto.validation")
    assert project.run("secrets", "add", "other").code == 2
    assert project.run("secrets", "add", "other", "--tenant", "acme", "--answers-as", "*").code == 2
    listed = project.run("secrets", "list", "--json")
    desk = {"name": "desk", "tenants": ["acme"], "answers_as": ["slack:"], "owners": ["*"], "starts": True}
    assert listed.document == {"callers": [desk]}
    assert "slack:" in project.run("secrets", "list").out
    files = list((project.folder / ".data").iterdir())
    assert files and not any(secret.encode() in file.read_bytes() for file in files)
    assert project.run("secrets", "revoke", "desk", "--json").document == {"name": "desk", "revoked": True}
    assert project.run("secrets", "revoke", "desk").code == 3
    assert "Nobody is let in" in project.run("secrets", "list").out
    assert project.run("secrets", "list", AGBOSS_INDEX="memory:").code == 2


def test_from_a_start_to_an_answer(project: Project) -> None:
    """A start, an answer by the channel's id and the result over HTTP, with a worker in a process of its own; the access log
    is one JSON line a request on stderr, without the id; SIGTERM ends the server with 0."""
    headers, port = let_in(project, "--starts"), free_port()
    with project.serving("worker"), project.serving("web", "--port", str(port)) as web:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=40) as client:
            start = {"workflow": "payer-workflow", "input": PAY, "wait": True}
            paused = client.post("/tenants/acme/executions", json=start)
            assert (paused.status_code, paused.json()["status"]) == (200, "paused")
            (pause_id,) = project.sent()
            body = {"pause_id": pause_id, "decision": {"approved": True}, "answered_by": "manager-17", "wait": True}
            done = client.post("/tenants/acme/answers", json=body)
            assert (done.status_code, done.json()["output"]) == (200, {"text": "paid"})
        web.send_signal(signal.SIGTERM)
        assert web.wait(30) == 0
    said = (project.folder / "serving.err").read_text()
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    assert [(line["route"], line["status"], line["caller"]) for line in lines] == [
        ("/tenants/{tenant}/executions", 200, "desk"),
        ("/tenants/{tenant}/answers", 200, "desk"),
    ]
    assert pause_id not in said and headers["Authorization"].split()[1] not in said


async def listens(port: int) -> bool:
    """Whether somebody does."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


def test_a_server_ends_in_order(project: Project) -> None:
    """A request under way when the signal comes gets its response, and no new one is let in."""
    headers, port = let_in(project, "--starts"), free_port()
    url = f"http://127.0.0.1:{port}/tenants/acme/executions"
    start = {"workflow": "payer-workflow", "input": PAY, "wait": True, "timeout_seconds": 5}

    async def ending() -> httpx.Response:
        async with httpx.AsyncClient(headers=headers, timeout=40) as client:
            waiting = asyncio.create_task(client.post(url, json=start))
            await asyncio.sleep(1)
            web.send_signal(signal.SIGINT)
            while await listens(port):
                await asyncio.sleep(0.05)
            assert not waiting.done()
            return await waiting

    with project.serving("web", "--port", str(port)) as web:
        late = asyncio.run(ending())
        assert (late.status_code, late.json()["code"]) == (504, "run.wait-timeout")
        assert web.wait(30) == 0


def test_addresses_that_others_can_reach(project: Project) -> None:
    """Without --behind-tls only loopback is served; a taken port and a name that is no address are told with 2."""
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        refused = project.run("web", "--host", host, "--port", "0", "--json")
        assert (refused.code, refused.document["error"]["code"]) == (2, "config")
        assert "--behind-tls" in refused.document["error"]["message"]
    assert project.run("web", "--host", "example.org", "--port", "0").code == 2
    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = project.run("web", "--port", str(taken.getsockname()[1]), "--json")
    assert (busy.code, busy.document["error"]["code"]) == (2, "config")
    with project.serving("web", "--host", "0.0.0.0", "--port", "0", "--behind-tls", "--json") as web:
        assert web.poll() is None
    assert "nobody is let in yet" in (project.folder / "serving.err").read_text()


async def waiting_pauses(file: Path) -> list[str]:
    """Ids of pauses that wait, of executions that Temporal doesn't have."""
    index = SqlitePauseIndex(file, clock=SettableClock())
    world, ids = World(index, SettableClock()), []
    for number in range(MANY):
        ref = await world.start(f"r{number}")
        (step_key,) = await world.turn(ref, {"amount": number})
        ids.append((await world.ask(ref, step_key)).pause_id)
    await index.close()
    return [str(one) for one in ids]


def test_a_server_that_is_killed_loses_no_answer(project: Project) -> None:
    """S144, F03, R28: of 100 answers to two servers, one of which is killed in the middle, every one that was responded to is
    recorded, and every one that wasn't is answered by the other server, as recorded before or now; each once."""
    file = project.folder / ".data/agboss.db"
    ids = asyncio.run(waiting_pauses(file))
    headers, ports = let_in(project), (free_port(), free_port())
    serving = [("web", "--port", str(port), "--rate", "1000") for port in ports]
    with project.serving(*serving[0]) as first, project.serving(*serving[1]):
        seen = asyncio.run(answered(ids, ports, headers, killed=first))
        again = asyncio.run(answered(ids, (ports[1], ports[1]), headers))
    assert [status for status, _ in seen.values()].count(None) == 0
    assert {status for status, _ in seen.values()} <= {202, 200}
    assert all((status == 200) == repeated for status, repeated in seen.values())
    assert list(again.values()) == [(200, True)] * MANY

    async def recorded() -> list[Any]:
        index = SqlitePauseIndex(file, clock=SystemClock())
        found = [await index.find("acme", one) for one in ids]  # type: ignore[arg-type]
        await index.close()
        return found

    for pause in asyncio.run(recorded()):
        assert pause.status is PauseStatus.RESOLVED
        assert (pause.answer.decision, pause.answer.responder.name) == ({"approved": True}, "manager-17")


async def answered(
    ids: list[str], ports: tuple[int, int], headers: dict[str, str], killed: Any = None
) -> dict[str, tuple[int | None, bool]]:
    """Status and repetition of each answer; the first server is killed when a third of them are in."""
    seen: dict[str, tuple[int | None, bool]] = {}
    lost = 0
    slots = asyncio.Semaphore(12)

    async def one(number: int, pause_id: str, client: httpx.AsyncClient) -> None:
        nonlocal lost
        body = {"pause_id": pause_id, "decision": {"approved": True}, "answered_by": "manager-17"}
        async with slots:
            for port in (ports[number % 2], ports[1]):
                try:
                    response = await client.post(f"http://127.0.0.1:{port}/tenants/acme/answers", json=body)
                except httpx.TransportError:
                    lost += 1
                    continue
                seen[pause_id] = (response.status_code, response.json().get("repeated", False))
                break
        if killed is not None and len(seen) == MANY // 3:
            killed.kill()

    async with httpx.AsyncClient(headers=headers, timeout=40) as client:
        begun = time.monotonic()
        await asyncio.gather(*(one(number, pause_id, client) for number, pause_id in enumerate(ids)))
        assert time.monotonic() - begun < 60
    if killed is not None:
        assert killed.wait(10) == -signal.SIGKILL
        assert lost > 0, "the killed server was asked nothing any more"
    return seen
