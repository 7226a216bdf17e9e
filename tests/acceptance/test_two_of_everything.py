"""Two workers and two facades, each a process of its own, on one index: races, fifty rounds each."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agboss import App, StartText
from agboss.devserver.config import DevServerConfig
from tests.processes import Facade, Place
from tests.rig import SOON, ClerkWorkflow, call, script

ROUNDS = 50
AT_ONCE = 10


@dataclass
class Office:
    """Everything that runs."""

    place: Place
    app: App
    facades: tuple[Facade, Facade]

    async def execute(self, number: int, **payment: Any) -> Any:
        """Ask for payment ``number`` on thread ``number``; the model's text is what its call gave."""
        turns = script([call("pay-tool", amount=number, **payment)], "=results")
        return await self.app.execute(
            ClerkWorkflow,
            StartText(text=turns),
            tenant_id="acme",
            owner_id="customer-1",
            thread_id=f"thread-{number}",
            timeout=SOON,
        )

    def pause_id(self, number: int) -> str:
        """The id that payment ``number`` was asked under."""
        (asked,) = {line for line in self.place.lines("asked") if line.startswith(f"{number}:")}
        return asked.partition(":")[2]

    async def ended(self, execution_id: str) -> tuple[str, Any]:
        """The outcome, and the one entry of the record, once the execution has ended."""
        index = self.app._index
        async with asyncio.timeout(60):
            while True:
                progress = await index.progress("acme", execution_id)  # type: ignore[arg-type]
                if progress is not None and progress.ended:
                    (entry,) = await index.entries("acme", execution_id)  # type: ignore[arg-type]
                    return (progress.output or {}).get("text", str(progress.outcome)), entry
                await asyncio.sleep(0.02)

    def paid(self, number: int) -> int:
        """How often payment ``number`` was made."""
        return sum(line.startswith(f"{number}:") for line in self.place.lines("ledger"))


@pytest.fixture
async def office(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Office]:
    place = Place(temporal, tmp_path)
    with ExitStack() as processes:
        for _ in range(2):
            processes.enter_context(place.worker())
        facades = (processes.enter_context(place.facade()), processes.enter_context(place.facade()))
        async with place.application.connect(place.settings) as app:
            yield Office(place, app, facades)


def batches() -> list[range]:
    return [range(first, first + AT_ONCE) for first in range(0, ROUNDS, AT_ONCE)]


@pytest.mark.timeout(180)
async def test_two_different_answers_at_once(office: Office) -> None:
    """S237, S238, C01, invariant 1: of two opposite answers from two processes one wins; record, ledger and the model's text
    agree on it."""
    yes, no = office.facades
    for numbers in batches():
        started = await asyncio.gather(*(office.execute(number) for number in numbers))
        for number, execution in zip(numbers, started, strict=True):
            first, second = (yes, no) if number % 2 else (no, yes)
            for facade in (first, second):
                facade.ask(pause=office.pause_id(number), approved=facade is yes, by="yes" if facade is yes else "no")
            told = [yes.heard(), no.heard()]
            (winner,) = [answer["won"] for answer in told if "won" in answer]
            assert {"code": "run.not-paused"} in told
            text, entry = await office.ended(execution.execution_id)
            assert (entry.responder, entry.decision["approved"]) == (winner, winner == "yes")
            assert office.paid(number) == (winner == "yes")
            assert text == ("pay-tool done" if winner == "yes" else "Tool error: the call was rejected by no")


@pytest.mark.timeout(180)
async def test_an_answer_against_a_cancel(office: Office) -> None:
    """S221, R03, E01: the cancel always applies; the record says whether an answer came first, and whether it was acted on, and
    the ledger has a payment just where it was."""
    answering, cancelling = office.facades
    for numbers in batches():
        started = await asyncio.gather(*(office.execute(number) for number in numbers))
        for number, execution in zip(numbers, started, strict=True):
            requests = [
                (answering, {"pause": office.pause_id(number), "approved": True, "by": "yes"}),
                (cancelling, {"cancel": f"thread-{number}"}),
            ]
            for facade, request in requests if number % 2 else reversed(requests):
                facade.ask(**request)
            answered, cancelled = answering.heard(), cancelling.heard()
            outcome, entry = await office.ended(execution.execution_id)
            if "won" in answered:
                assert (entry.resolution, entry.responder) == ("replied", "yes")
            else:
                assert (answered["code"], entry.resolution, entry.acted_on) == ("run.not-paused", "cancelled", False)
            assert office.paid(number) <= entry.acted_on
            if cancelled["cancelled"]:
                assert outcome == "cancelled"
            else:
                assert (outcome, office.paid(number)) == ("pay-tool done", 1)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("when", ["before", "after"])
async def test_an_answer_from_the_channel_itself(office: Office, when: str) -> None:
    """C05, C06, S243: an answer 0, 5 or 50 ms before or after ``send`` returns is taken once and never lost."""
    for numbers in batches():
        works = (office.execute(number, to=f"{when}-{(0, 5, 50)[number % 3]}") for number in numbers)
        started = await asyncio.gather(*works)
        for number, execution in zip(numbers, started, strict=True):
            text, entry = await office.ended(execution.execution_id)
            assert (text, office.paid(number)) == ("pay-tool done", 1)
            assert (entry.responder, entry.resolution, entry.acted_on) == ("the-channel", "replied", True)
