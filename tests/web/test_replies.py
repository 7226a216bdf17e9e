"""Replies over HTTP, to an office that reads them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from agboss.devserver.config import DevServerConfig
from tests.replies.office import EXPENSE, REFUND, Desk, Expense, running_desk
from tests.web.conftest import DESK, PORTAL, Site, code, let_in, served


@pytest.fixture
async def desk(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Desk]:
    async with running_desk(temporal, tmp_path) as running:
        yield running


@pytest.fixture
async def site(desk: Desk) -> AsyncIterator[Site]:
    async with AsyncExitStack() as stack:
        serving = await stack.enter_async_context(desk.declaration.serving(desk.settings))
        secrets = await let_in(serving.callers, DESK, PORTAL)
        yield await stack.enter_async_context(served(serving, secrets))


async def test_a_reply_over_http(desk: Desk, site: Site) -> None:
    """S064, S117: 202 once it is read and recorded; 200 at the end where it was waited for."""
    desk.chat.when(reply="ok, but only half").read(approved=True, override_arguments={"amount": 25})
    await desk.asked(REFUND)
    response = await site.answer(desk.told.asks[0].pause_id, reply="ok, but only half", wait=True)
    assert (response.status_code, response.json()["output"]) == (200, {"text": "refunded 25"})
    await desk.asked(EXPENSE)
    response = await site.answer(desk.told.asks[1].pause_id, by="portal", owner_id="customer-1", reply="yes")
    assert (response.status_code, response.json()["delivered"]) == (202, True)
    await desk.until(lambda: Expense(purpose="pens") in desk.told.runs)


async def test_an_unclear_reply_is_refused(desk: Desk, site: Site) -> None:
    """S105: 422 with the code, nothing of the reply in it, and the pause waits; a clearer one works."""
    desk.chat.when(reply="hm canary").answer("no idea")
    desk.chat.when(reply="no").read(approved=False)
    await desk.asked(REFUND)
    response = await site.answer(desk.told.asks[0].pause_id, reply="hm canary")
    assert code(response) == (422, "pause.uninterpretable-reply")
    assert "canary" not in response.text and desk.told.asks[0].pause_id not in response.text
    await desk.untouched()
    response = await site.answer(desk.told.asks[0].pause_id, reply="no", wait=True)
    assert response.json()["output"] == {"text": "Tool error: the call was rejected by manager-17"}


async def test_a_repeated_request_is_read_once(desk: Desk, site: Site) -> None:
    """S065: under one idempotency key a reply is read once, and the response is the same."""
    desk.chat.when(reply="hm").answer("no idea")
    await desk.asked(REFUND)
    pause_id = desk.told.asks[0].pause_id
    first = await site.answer(pause_id, reply="hm", key="mail-1")
    again = await asyncio.gather(*(site.answer(pause_id, reply="hm", key="mail-1") for _ in range(2)))
    assert [code(one) for one in (first, *again)] == [(422, "pause.uninterpretable-reply")] * 3
    assert len(desk.chat.requests) == 1
