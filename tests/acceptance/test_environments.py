"""One application in two environments."""

import io
import secrets
from pathlib import Path
from typing import Any

import pytest

from agboss import Application, ChannelAsk, ChannelOutcome, ScriptedModels, Settings, StartText, Terminal, channel
from agboss.devserver.config import DevServerConfig
from agboss.stores.migrate import migrate
from tests.rig import SOON, DeskFourEyes, DeskPublish, PayerWorkflow, Payment, PaymentApproval, Told, application, call, play
from tests.rig import script as scripted


class Notes:
    """What each channel was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []


class _Noting:
    name: str

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    async def send(self, ask: ChannelAsk[Payment]) -> ChannelOutcome:
        self.notes.asked.append((self.name, ask.pause_id))
        return ChannelOutcome.await_reply()


@channel(name="terminal-payment-channel", description="In development", environments=("dev",))
class TerminalPayment(_Noting, PaymentApproval):
    name = "terminal"


@channel(name="slack-payment-channel", description="In production", environments=("prod",))
class SlackPayment(_Noting, PaymentApproval):
    name = "slack"


def office(notes: Notes) -> Application:
    models, terminal = ScriptedModels(), Terminal()
    terminal.stream = io.StringIO()
    models.when().reply(play)
    return application(
        Told(),
        models,
        name=f"environments-{secrets.token_hex(4)}",
        channels=[TerminalPayment, SlackPayment, DeskPublish, DeskFourEyes],
        services=[terminal, notes],
        environment="dev",
        environments=("dev", "prod"),
    )


@pytest.mark.parametrize(("setting", "asked"), [(None, "terminal"), ("dev", "terminal"), ("prod", "slack")])
async def test_each_environment_asks_its_own(
    temporal: DevServerConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str | None, asked: str
) -> None:
    """S260: the application's own environment, or the one that AGBOSS_ENVIRONMENT names: each asks its own channel; role, pauses
    and answers are the same."""
    url = f"sqlite:///{tmp_path / 'index.db'}"
    migrate(url)
    given = {"AGBOSS_INDEX": url, "AGBOSS_TEMPORAL_ADDRESS": temporal.address}
    settings = Settings.from_environment(given | ({"AGBOSS_ENVIRONMENT": setting} if setting else {}))
    notes = Notes()
    options: Any = {"tenant_id": "acme", "timeout": SOON}
    async with office(notes).worker(settings) as app:
        text = StartText(text=scripted([call("pay-tool", amount=1)], "done"))
        paused = await app.execute(PayerWorkflow, text, **options)
        ((name, pause_id),) = notes.asked
        assert (name, [pending.channel for pending in paused.pending]) == (asked, ["payment-approval-channel"])
        done = await app.resume(pause_id, decision={"approved": True}, answered_by="m", **options)
        assert done.output is not None and done.output.text == "done"
