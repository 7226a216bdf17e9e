"""The application of the simulation: the acceptance tests' office, with a desk that the world pulls at."""

import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from agboss import ChannelAnswered, ChannelAsk, ChannelOutcome, ChannelWithdrawal, ScriptedModels, Terminal
from agboss.assembly.assembled import Assembled, assemble
from tests.rig import DeskFourEyes, PaymentDeclinedError, Told, application, play
from tests.simulation.channels import CHANNEL, SimDeaf, SimPayment, SimPublish
from tests.simulation.worker import PROCESS
from tests.simulation.world import Process, World

GATED = ("pay-tool", "publish-tool")


@dataclass
class Question:
    """One pause, as one of its channels knows it."""

    ask: ChannelAsk[Any]
    seen: int = 0
    """How often people saw it."""
    told: int = 0
    """How often it was taken back."""
    answered: int = 0
    """How often its channel heard that it was answered."""
    last: str = ""
    """What came last: ``seen``, ``told`` or ``answered``."""


@dataclass
class Desk:
    """What the office's tools and channels did in one seed."""

    questions: dict[tuple[str, str], Question] = field(default_factory=dict)
    """By pause id and channel."""
    effects: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    """Tool, idempotency key, input; one for each time the tool had its effect."""
    strays: int = 0
    """Notices to channels that had asked nobody."""

    def ask(self, pause_id: str) -> ChannelAsk[Any] | None:
        """The question, where some channel asked it."""
        return next((question.ask for (id, _), question in self.questions.items() if id == pause_id), None)


Asked = Callable[[str, ChannelAsk[Any]], None]
Heard = Callable[[ChannelAnswered[Any]], None]
Ran = Callable[[str, str, dict[str, Any]], None]
Answers = Callable[[Process, str, ChannelAsk[Any]], Awaitable[None]]


def assembled() -> tuple[Assembled, Told]:
    """Assembled once for all seeds; what is told goes to the seed's desk."""
    told, models = Told(), ScriptedModels()
    models.when().reply(play)
    channels = [SimPayment, SimPublish, SimDeaf, DeskFourEyes]
    return assemble(application(told, models, name="sim", services=[Terminal()], channels=channels)), told


def open_desk(world: World, told: Told, *, asked: Asked, ran: Ran, answers: Answers, heard: Heard) -> Desk:
    """Give the office's user code its behaviour in this world."""
    desk = Desk()
    told.asks.clear()
    told.runs.clear()
    told.frames.clear()
    told.order.clear()
    told.withdrawals.clear()
    told.events.clear()

    async def on_send(ask: ChannelAsk[Any]) -> ChannelOutcome:
        process = PROCESS.get()
        await world.gate(f"{process.name}: send", process)
        if world.chance("send_raises"):
            raise ConnectionError("simulated: the channel is down")
        if world.chance("send_decides"):
            return ChannelOutcome.decided({"approved": world.rng.random() < 0.5})
        question = desk.questions.setdefault((ask.pause_id, CHANNEL.get()), Question(ask))
        question.seen += 1
        question.last = "seen"
        asked(ask.pause_id, ask)
        if world.chance("send_answers"):
            await answers(process, ask.pause_id, ask)
        await world.gate(f"{process.name}: send returns", process)
        return ChannelOutcome.await_reply()

    async def on_withdraw(withdrawal: ChannelWithdrawal[Any]) -> None:
        process = PROCESS.get()
        await world.gate(f"{process.name}: withdraw", process)
        question = desk.questions.get((withdrawal.pause_id, CHANNEL.get()))
        if question is None:
            desk.strays += 1
        else:
            question.told += 1
            question.last = "told"
        if world.chance("send_raises"):
            raise ConnectionError("simulated: the channel is down")

    async def on_answered(answered: ChannelAnswered[Any]) -> None:
        process = PROCESS.get()
        await world.gate(f"{process.name}: answered", process)
        question = desk.questions.get((answered.pause_id, CHANNEL.get()))
        if question is None:
            desk.strays += 1
        else:
            question.answered += 1
            question.last = "answered"
        heard(answered)
        if world.chance("send_raises"):
            raise ConnectionError("simulated: the channel is down")

    async def on_run(tool: str, input: BaseModel) -> str:
        key = told.runs[-1][2]
        process = PROCESS.get()
        await world.gate(f"{process.name}: {tool}", process)
        plain = input.model_dump(mode="json")
        ran(tool, key, plain)
        desk.effects.append((tool, key, plain))
        await world.gate(f"{process.name}: {tool} did", process)
        if world.chance("tool_raises"):
            if world.rng.random() < 0.5:
                raise PaymentDeclinedError("simulated: declined")
            raise ValueError("simulated: broken")
        return did(tool, plain)

    told.on_send, told.on_withdraw, told.on_answered, told.on_run = on_send, on_withdraw, on_answered, on_run
    return desk


def did(tool: str, input: dict[str, Any]) -> str:
    """What a tool says when it has done its work."""
    return f"{tool} did {json.dumps(input, sort_keys=True)}"


def script_of(rng: random.Random) -> list[Any]:
    """An execution's model: one to three turns of one to three calls, then the answer."""
    turns: list[Any] = []
    for turn in range(rng.randint(1, 3)):
        calls = []
        for place in range(rng.choice((1, 1, 2, 2, 3))):
            # Now and then the same call twice in a turn, as models make it.
            number = 0 if rng.random() < 0.2 else 10 * turn + place
            tool = rng.choice(("pay-tool", "pay-tool", "publish-tool", "free-tool", "approved-tool"))
            calls.append([tool, {"amount": number} if tool == "pay-tool" else {"text": f"text {number}"}])
        turns.append(calls)
    return [*turns, "finished"]
