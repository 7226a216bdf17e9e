"""Who may call over HTTP, and the responses that are kept, in each store."""

import sqlite3
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from agboss.errors import DtoValidationError
from agboss.ports.callers import Caller, Callers, KeptResponse
from agboss.stores import callers_of
from agboss.stores.memory import InMemoryPauseIndex
from agboss.stores.migrate import migrate
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.testing.index_suite.world import SettableClock

DESK = Caller(name="desk", tenants=("acme",), answers_as=("manager-17", "slack:"), owners=("customer-1",), starts=True)
BOT = Caller(name="bot", tenants=("*",))


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture(params=["memory", "sqlite", "sqlite-inline"])
async def callers(request: pytest.FixtureRequest, tmp_path: Path, clock: SettableClock) -> AsyncIterator[Callers]:
    index: InMemoryPauseIndex | SqlitePauseIndex
    if request.param == "memory":
        index = InMemoryPauseIndex(clock=clock)
    else:
        path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
        index = SqlitePauseIndex(path, clock=clock, inline=request.param == "sqlite-inline")
    made = callers_of(index, owned=True)
    yield made
    await made.close()


async def test_a_caller_is_found_by_the_hash_of_its_secret_alone(callers: Callers) -> None:
    """F08: a caller that was added is found as it was given; an unknown hash finds nobody; names are taken once."""
    assert await callers.by_secret_hash("h1") is None
    await callers.add(DESK, "h1")
    await callers.add(BOT, "h2")
    assert await callers.by_secret_hash("h1") == DESK
    assert await callers.by_secret_hash("desk") is None
    assert await callers.list() == (BOT, DESK)
    with pytest.raises(DtoValidationError):
        await callers.add(DESK, "h3")
    assert await callers.by_secret_hash("h3") is None


async def test_a_revoked_caller_is_gone(callers: Callers, clock: SettableClock) -> None:
    """A revoked secret lets nobody in, and whoever gets the name later isn't given the old one's responses."""
    until = clock.now() + timedelta(hours=1)
    await callers.add(DESK, "h1")
    await callers.claim("desk", "k", digest="d", until=until)
    assert await callers.revoke("desk") is True
    assert await callers.revoke("desk") is False
    assert await callers.by_secret_hash("h1") is None
    await callers.add(DESK, "h2")
    assert await callers.claim("desk", "k", digest="d", until=until) is None


async def test_a_key_is_one_requests(callers: Callers, clock: SettableClock) -> None:
    """Of two requests with one key the first has it; the other is given what stands, and so is each later one until its
    time; other callers' keys are their own."""
    soon, late = clock.now() + timedelta(seconds=30), clock.now() + timedelta(hours=24)
    assert await callers.claim("desk", "k", digest="d", until=soon) is None
    assert await callers.claim("desk", "k", digest="e", until=soon) == KeptResponse(digest="d", status=None, body=None)
    assert await callers.claim("bot", "k", digest="e", until=soon) is None
    await callers.remember("desk", "k", status=202, body={"text": "ü\ud800"}, until=late)
    clock.advance(3600)
    kept = KeptResponse(digest="d", status=202, body={"text": "ü\ud800"})
    assert await callers.claim("desk", "k", digest="d", until=late) == kept
    clock.advance(86_400)
    assert await callers.claim("desk", "k", digest="new", until=clock.now() + timedelta(1)) is None


async def test_a_key_that_is_given_back(callers: Callers, clock: SettableClock) -> None:
    """Nothing was done: the key may be used again; a response to a key that nobody has is not kept."""
    soon = clock.now() + timedelta(seconds=30)
    await callers.claim("desk", "k", digest="d", until=soon)
    await callers.forget("desk", "k")
    await callers.remember("desk", "k", status=200, body={}, until=soon)
    assert await callers.claim("desk", "k", digest="other", until=soon) is None


async def test_no_secret_and_no_old_response_stays_in_the_file(tmp_path: Path, clock: SettableClock) -> None:
    """Responses whose time is over are removed as new ones come; reads have their indexes."""
    path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
    index = SqlitePauseIndex(path, clock=clock, inline=True)
    callers = callers_of(index, owned=True)
    seen: set[str] = set()
    await callers.add(DESK, "h0")
    assert index._runner._connection is not None
    index._runner._connection.set_trace_callback(seen.add)
    for number in range(50):
        await callers.claim("desk", f"k{number}", digest="d", until=clock.now() + timedelta(seconds=1))
    clock.advance(2)
    for number in range(3):
        await callers.claim("desk", f"n{number}", digest="d", until=clock.now() + timedelta(seconds=1))
    await callers.revoke("nobody")
    index._runner._connection.set_trace_callback(None)
    await callers.close()
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM responses").fetchone() == (3,)
        for statement in (statement for statement in seen if statement.startswith(("SELECT", "DELETE", "UPDATE"))):
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
            assert all(step.startswith("SEARCH") for step in plan), (statement, plan)


def test_whom_a_caller_may_name() -> None:
    """F08: only what it was given; a prefix covers what begins with it and has more, never the prefix alone or another's
    name; no grant is no right."""
    assert [DESK.may_answer_as(name) for name in ("manager-17", "slack:U1")] == [True, True]
    assert not any(DESK.may_answer_as(name) for name in ("manager-1", "manager-171", "slack:", "slack", "Slack:U1", ""))
    assert [DESK.may_claim("customer-1"), DESK.may_claim("customer-2"), BOT.may_claim("customer-1")] == [True, False, False]
    assert [DESK.acts_for("acme"), DESK.acts_for("other"), BOT.acts_for("other")] == [True, False, True]
    assert not BOT.may_answer_as("*")


async def test_an_old_key_is_free_though_it_is_not_removed_yet(callers: Callers, clock: SettableClock) -> None:
    """Only some responses are removed by each claim; one whose time is over doesn't stand, removed or not."""
    for number in range(100):
        await callers.claim("desk", f"k{number:02}", digest="d", until=clock.now() + timedelta(seconds=1))
    clock.advance(2)
    assert await callers.claim("desk", "k99", digest="new", until=clock.now() + timedelta(seconds=1)) is None
    assert await callers.claim("desk", "k99", digest="new", until=clock.now()) is not None
