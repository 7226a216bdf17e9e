"""The office application as it is put together: refunds, deposits and expenses answered in free text."""

import json
import os
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from activities.ledger import Ledger
from agboss import App, ExecutionResult, Settings, StartText
from agboss.devserver.config import DevServerConfig
from agboss.errors import UninterpretableReplyError
from agboss.stores.migrate import migrate
from application import office
from tests.rig import SOON
from workflows.office import OfficeWorkflow
from workflows.refunds import RefundWorkflow

YES = "yes, the flat is in order"


@dataclass
class Running:
    """The office with a worker, in a folder of its own."""

    app: App
    paused: ExecutionResult[Any]
    clerk: str
    """The deposit's pause id, as its channel was given it."""
    owner: str
    """The expense's, as the owner's view lists it."""

    async def as_clerk(self, reply: str, **more: Any) -> ExecutionResult[Any]:
        return await self.app.resume(
            self.clerk, reply=reply, tenant_id="acme", answered_by="clerk-3", timeout=SOON, record=True, **more
        )

    async def as_owner(self, reply: str) -> ExecutionResult[Any]:
        return await self.app.resume(
            self.owner, reply=reply, tenant_id="acme", owner_id="owner-1", timeout=SOON, record=True
        )


@pytest.fixture
async def app(temporal: DevServerConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[App]:
    monkeypatch.chdir(tmp_path)
    settings = Settings(temporal_address=temporal.address, task_queue=f"office-{secrets.token_hex(4)}")
    migrate(settings.index)
    async with office.worker(settings) as running:
        yield running


@pytest.fixture
async def running(app: App) -> Running:
    paused = await app.execute(OfficeWorkflow, StartText(text="do"), tenant_id="acme", owner_id="owner-1", timeout=SOON)
    (deposit,) = os.listdir(".data/desk")
    (expense,) = [pause.pause_id for pause in paused.pending if pause.pause_id is not None]
    return Running(app, paused, deposit, expense)


async def test_half_a_refund(app: App) -> None:
    """S117: "ok, but only half" by manager-17, read by a chat model, refunds half of what was asked; the card stays."""
    await app.execute(RefundWorkflow, StartText(text="refund"), tenant_id="acme", timeout=SOON)
    (pause_id,) = os.listdir(".data/desk")
    reply = "ok, but only half"
    result = await app.resume(pause_id, reply=reply, tenant_id="acme", answered_by="manager-17", timeout=SOON, record=True)
    assert Ledger().rows() == [("refund", "A-17", "25.00")]
    (entry,) = result.record.pauses  # type: ignore[union-attr]
    assert entry.responder == "manager-17" and entry.decision is not None
    assert entry.decision["override_arguments"] == {"order_id": "A-17", "amount": "25.00", "card": "••••••"}


async def test_a_deposit_and_an_expense(running: Running) -> None:
    """S118, S120, S124: both wait in one execution, one entry with an id and one without; each is answered in its own way, and
    the finish holds the agent's text."""
    assert sorted(pause.channel for pause in running.paused.pending) == [
        "deposit-approval-channel",
        "expense-approval-channel",
    ]
    assert sorted(pause.pause_id is None for pause in running.paused.pending) == [False, True]
    first = await running.as_clerk(YES)
    assert (first.status, len(first.pending)) == ("paused", 1)
    last = await running.as_owner(json.dumps({"approved": True}))
    assert last.output.text == "Deposit and expense are done, as they were decided."
    assert sorted(Ledger().rows()) == [("deposit", "L-7", ""), ("expense", "pens", "")]


async def test_a_clerk_who_is_not_sure(running: Running) -> None:
    """S119: below one half the deposit stays, without a reason."""
    result = await running.as_clerk("have you seen the carpet?")
    assert [entry.decision for entry in result.record.pauses] == [{"approved": False}]  # type: ignore[union-attr]
    assert Ledger().rows() == []


@pytest.mark.parametrize("value", ["false", '"yes"', "1", "null"])
async def test_a_button_that_says_anything_else(running: Running, value: str) -> None:
    """S121: any value that is not exactly true rejects."""
    result = await running.as_owner(f'{{"approved": {value}}}')
    assert [entry.decision for entry in result.record.pauses] == [{"approved": False}]  # type: ignore[union-attr]
    assert Ledger().rows() == []


async def test_what_is_no_button(running: Running) -> None:
    """S122, S123: JSON that is none is not understood, with the reason; text that is no JSON is a crash; a button then works."""
    for reply in ("[]", "null", "{}", '{"approve": true}', "7"):
        with pytest.raises(UninterpretableReplyError) as raised:
            await running.as_owner(reply)
        assert (raised.value.reason, raised.value.__cause__) == (f"not an expense button: {reply}", None)
    with pytest.raises(UninterpretableReplyError) as raised:
        await running.as_owner("yes please")
    assert isinstance(raised.value.__cause__, json.JSONDecodeError)
    assert (await running.as_owner('{"approved":true}')).status == "paused"
