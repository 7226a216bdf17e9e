"""Question roles: the answer, of the role's own type, is what the model gets as the call's result."""

import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from agboss import (
    App,
    Application,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    DecidedBy,
    FinishText,
    PauseAnswerer,
    QuestionAsk,
    ScriptedDecisions,
    ScriptedModels,
    Sensitive,
    Settings,
    StartText,
    agent,
    channel,
    channel_role,
    reply_interpreter,
    start,
    tool,
    workflow,
)
from agboss.assembly.assembled import assemble
from agboss.devserver.config import DevServerConfig
from agboss.errors import AgentFailedError, AssemblyError, DtoValidationError, UninterpretableReplyError
from agboss.stores.migrate import migrate
from tests.rig import SOON, call, play, script


class DateQuestion(BaseModel):
    about: str
    not_before: date


class DateAnswer(BaseModel):
    on: date
    guests: int = Field(default=1, le=8)
    code: Annotated[str, Sensitive()] = ""


@reply_interpreter(
    name="date-reply-interpreter", description="", decided_by=DecidedBy.MODEL, model="chat/reader", prompt="Which day?"
)
class DateReplies:
    pass


@channel_role(
    name="date-question-channel",
    description="",
    asks=DateQuestion,
    answer=DateAnswer,
    answered_by=PauseAnswerer.THREAD_OWNER,
    reply_interpreter=DateReplies,
)
class DateQuestions(ChannelOf[DateQuestion]):
    pass


@dataclass
class Told:
    asks: list[ChannelAsk[DateQuestion]] = field(default_factory=list)
    outcome: ChannelOutcome = field(default_factory=ChannelOutcome.await_reply)


@channel(name="page-date-channel", description="")
class PageDates(DateQuestions):
    def __init__(self, told: Told) -> None:
        self.told = told

    async def send(self, ask: ChannelAsk[DateQuestion]) -> ChannelOutcome:
        self.told.asks.append(ask)
        return self.told.outcome


@tool(name="ask-date-tool", description="Asks for a day", channel=DateQuestions)
class AskDate:
    pass


@agent(name="planner-agent", description="", prompt="", model="script/planner", tools=[AskDate])
class Planner:
    pass


@workflow(name="plan-workflow", version="1", flow=[start(StartText).to_agent(Planner).to_finish(FinishText)])
class PlanWorkflow:
    pass


@dataclass
class Plans:
    app: App
    told: Told
    chat: ScriptedModels

    async def asked(self) -> Any:
        turns = script([call("ask-date-tool", about="the tour", not_before="2026-12-05")], "=results")
        return await self.app.execute(PlanWorkflow, StartText(text=turns), tenant_id="acme", owner_id="o", timeout=SOON)

    async def answer(self, **given: Any) -> Any:
        pause_id = self.told.asks[0].pause_id
        return await self.app.resume(pause_id, tenant_id="acme", owner_id="o", timeout=SOON, record=True, **given)


@pytest.fixture
async def plans(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Plans]:
    url = f"sqlite:///{tmp_path / 'index.db'}"
    migrate(url)
    told, planner, chat = Told(), ScriptedModels(serves=["script/*"]), ScriptedModels(serves=["chat/*"])
    planner.when().reply(play)
    application = Application(
        name=f"plans-{secrets.token_hex(4)}",
        workflows=[PlanWorkflow],
        channels=[PageDates],
        models=[planner, chat],
        services=[told],
    )
    async with application.worker(Settings(index=url, temporal_address=temporal.address)) as app:
        yield Plans(app, told, chat)


async def test_an_answer_is_the_result(plans: Plans) -> None:
    """R19: the channel and the list show a question with its answer's schema; the validated answer, with its defaults, is what
    the model reads; the record has it masked."""
    paused = await plans.asked()
    (pending,) = paused.pending
    assert isinstance(pending.ask, QuestionAsk) and set(pending.ask.answer_schema["properties"]) == {"on", "guests", "code"}
    assert pending.ask.arguments == {"about": "the tour", "not_before": "2026-12-05"}
    (ask,) = plans.told.asks
    assert isinstance(ask.value, QuestionAsk) and ask.value.arguments.not_before == date(2026, 12, 5)
    result = await plans.answer(decision={"on": "2026-12-09", "code": "1234"})
    assert json.loads(result.output.text) == {"on": "2026-12-09", "guests": 1, "code": "1234"}
    (entry,) = result.record.pauses
    assert entry.decision == {"on": "2026-12-09", "guests": 1, "code": "••••••"} and entry.responder == "o"


async def test_an_answer_as_its_own_type(plans: Plans) -> None:
    """R19: an instance of the answer's model is taken as well."""
    await plans.asked()
    result = await plans.answer(decision=DateAnswer(on=date(2026, 12, 9), guests=3))
    assert json.loads(result.output.text)["guests"] == 3


@pytest.mark.parametrize(
    "decision", [{"approved": True}, {}, {"on": "soon"}, {"on": "2026-12-09", "guests": 9}, {"on": "2026-12-09", "more": 1}]
)
async def test_what_is_no_answer(plans: Plans, decision: dict[str, Any]) -> None:
    """R19, S050: an approval, a field too many, one out of bounds: DtoValidationError, and the question waits."""
    await plans.asked()
    with pytest.raises(DtoValidationError):
        await plans.answer(decision=decision)
    assert len(await plans.app.pending(tenant_id="acme")) == 1
    assert (await plans.answer(decision={"on": "2026-12-09"})).status == "finished"


async def test_a_model_reads_the_answer(plans: Plans) -> None:
    """S082: the answer tool has the schema of the role's own answer, and the step gets that answer; an approval is none."""
    plans.chat.when(reply="the 9th").read(on="2026-12-09", guests=2)
    plans.chat.when(reply="sure").read(approved=True)
    await plans.asked()
    with pytest.raises(UninterpretableReplyError):
        await plans.answer(reply="sure")
    result = await plans.answer(reply="the 9th")
    assert json.loads(result.output.text) == {"on": "2026-12-09", "guests": 2, "code": ""}
    for request in plans.chat.requests:
        assert [set(spec.input_schema["properties"]) for spec in request.tools] == [{"on", "guests", "code"}]


async def test_a_channel_that_knows_the_answer(plans: Plans) -> None:
    """R19, S054, R25: a channel may answer at once; what is no answer fails the step."""
    plans.told.outcome = ChannelOutcome.decided(DateAnswer(on=date(2026, 12, 9)))
    result = await plans.asked()
    assert json.loads(result.output.text)["on"] == "2026-12-09"
    plans.told.outcome = ChannelOutcome.decided({"approved": True})
    with pytest.raises(AgentFailedError) as raised:
        await plans.asked()
    assert isinstance(raised.value.__cause__, DtoValidationError)


def test_what_a_question_role_may_not_be() -> None:
    """S081, R19: a decision model can't give its answer, and the message names the answer; a tool that asks has no run; a role
    approves or asks."""

    @reply_interpreter(name="jev-reply-interpreter", description="", decided_by=DecidedBy.MODEL, model="typesafe/jev")
    class Jev:
        pass

    @channel_role(
        name="one-channel",
        description="",
        asks=DateQuestion,
        answer=DateAnswer,
        answered_by=PauseAnswerer.CHANNEL,
        reply_interpreter=Jev,
    )
    class One(ChannelOf[DateQuestion]):
        pass

    @channel_role(
        name="two-channel",
        description="",
        asks=DateQuestion,
        approves=DateQuestion,  # type: ignore[call-overload]
        answered_by=PauseAnswerer.CHANNEL,
    )
    class Two(ChannelOf[DateQuestion]):
        pass

    @channel(name="desk-one-channel", description="")
    class DeskOne(One):
        async def send(self, ask: Any) -> Any: ...

    @channel(name="desk-two-channel", description="")
    class DeskTwo(Two):
        async def send(self, ask: Any) -> Any: ...

    @tool(name="one-tool", description="", channel=One)
    class Runs:
        def run(self, question: DateQuestion) -> str:
            return ""

    @tool(name="two-tool", description="", channel=Two)
    class Asks:
        pass

    @agent(name="an-agent", description="", prompt="", model="script/m", tools=[Runs, Asks])
    class Agent:
        pass

    @workflow(name="w-workflow", version="1", flow=[start(StartText).to_agent(Agent).to_finish(FinishText)])
    class Workflow:
        pass

    models = [ScriptedModels(serves=["script/*"]), ScriptedDecisions(serves=["typesafe/*"])]
    with pytest.raises(AssemblyError) as raised:
        assemble(Application(name="app", workflows=[Workflow], channels=[DeskOne, DeskTwo], models=models))
    found = {problem.code: problem.text for problem in raised.value.problems}
    assert set(found) == {"reply-interpreter.decision-model", "tool.run-of-question", "channel.role-kind"}
    assert "DateAnswer" in found["reply-interpreter.decision-model"]
