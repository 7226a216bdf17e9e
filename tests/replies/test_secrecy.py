"""Where a reply's words are, and where they are not."""

import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client

from agboss import ReplyInterpretation
from agboss.errors import UninterpretableReplyError
from tests.replies.office import EXPENSE, REFUND, Desk

CANARY = "canary-7f3a"


async def test_replies_are_in_no_history_and_no_log(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """S073, F05: neither the reply, nor the reason or decision that holds its words, nor a pause id is in Temporal's history
    or in a log at any level; once read, the text is not in the index either."""
    caplog.set_level(logging.DEBUG)

    async def crash(input: Any) -> Any:
        raise ValueError(f"can't read {input.reply}")

    async def unclear(input: Any) -> Any:
        return ReplyInterpretation.not_understood(reason=f"unclear: {input.reply}")

    desk.chat.when().read(approved=False, reason=f"because {CANARY}")
    await desk.asked(EXPENSE, REFUND)
    channels = [ask.channel for ask in desk.told.asks]
    expense, refund = channels.index("expense-approval-channel"), channels.index("refund-approval-channel")
    for interpret in (crash, unclear):
        desk.told.interpret = interpret
        with pytest.raises(UninterpretableReplyError, match=CANARY):
            await desk.reply(f"hm {CANARY}", number=expense)
    await desk.reply(f"no {CANARY}", number=refund, wait=False)
    desk.told.interpret = None
    result = await desk.reply("yes", number=expense)
    assert f"because {CANARY}" in result.output.text
    client = await Client.connect(desk.settings.temporal_address, namespace=desk.settings.temporal_namespace)
    path = Path(desk.settings.index.removeprefix("sqlite:///"))
    with sqlite3.connect(path) as index:
        ids = [
            f"{row[0]}/reading-{row[1]}"
            for row in index.execute("SELECT p.workflow_id, r.id FROM readings r JOIN pauses p ON p.step_key = r.step_key")
        ]
        assert [row for row in index.execute("SELECT reply FROM readings") if row[0] is not None] == []
    assert len(ids) == 4
    secrets = [CANARY, *(ask.pause_id for ask in desk.told.asks)]
    for id in ids:
        history = (await client.get_workflow_handle(id).fetch_history()).to_json()
        assert "reply-interpreter" in history
        assert not [secret for secret in secrets if secret in history]
    assert "could not be read" in caplog.text
    assert not [secret for secret in secrets if secret in caplog.text]
