"""Whole executions whose model is an OpenAI-compatible endpoint, over real HTTP."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agboss import (
    Application,
    ExecutionStatus,
    FinishText,
    OpenAIModels,
    ScriptedModels,
    Settings,
    StartText,
    agent,
    start,
    workflow,
)
from agboss.devserver.config import DevServerConfig
from agboss.domain.conversation import ToolMessage
from agboss.errors import AgentFailedError, ConfigurationError, ModelAnswerError, ModelRejectedError
from agboss.stores.migrate import migrate
from agboss.testing.openai_faults import (
    Fault,
    body,
    empty_turn,
    hang,
    hang_up,
    http_status,
    no_call_ids,
    raw_arguments,
    same_call_ids,
)
from agboss.testing.openai_server import OpenAIServer, openai_server
from tests.rig import SOON, Rig, call, running_rig

KEY = "sk-a-very-secret-key"


@dataclass
class Office:
    """A rig, and the endpoint its agents ask."""

    rig: Rig
    server: OpenAIServer

    def last_results(self) -> list[tuple[str, str]]:
        """Call id and result, in the order of the newest request."""
        return [
            (message["tool_call_id"], message["content"])
            for message in self.server.requests[-1].body["messages"]
            if message["role"] == "tool"
        ]

    def last_call_ids(self) -> list[str]:
        """Ids of the calls as the newest request echoes them."""
        messages = self.server.requests[-1].body["messages"]
        return [made["id"] for message in messages for made in message.get("tool_calls") or ()]


@pytest.fixture
async def office(temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Office]:
    with openai_server(ScriptedModels(), api_key=KEY) as server:
        provider = OpenAIModels(serves=["*"], base_url=server.base_url, api_key=KEY)
        async with running_rig(temporal, tmp_path, provider=provider) as rig:
            server.models = rig.models
            yield Office(rig, server)


async def test_a_call_pauses_and_is_answered(office: Office) -> None:
    """The model's call is asked, answered and run, and the model is told; two requests in all."""
    paused = await office.rig.execute([call("pay-tool", amount=5)], "paid")
    assert (paused.status, paused.pending[0].ask.summary) == (
        ExecutionStatus.PAUSED,
        "pay-tool: amount=5, to=somebody, card=••••••",
    )
    result = await office.rig.answer(office.rig.ids[0])
    assert result.output is not None
    assert (result.status, result.output.text) == (ExecutionStatus.FINISHED, "paid")
    assert office.last_results() == [("t0c0", "pay-tool done")]
    assert len(office.server.requests) == 2


async def test_an_endpoint_that_comes_up_later(temporal: DevServerConfig, tmp_path: Path) -> None:
    """An execution waits for an endpoint that is down, and goes on when it is up."""
    with openai_server(ScriptedModels()) as gone:
        port = int(gone.base_url.removesuffix("/v1").rsplit(":", 1)[1])
    provider = OpenAIModels(serves=["*"], base_url=gone.base_url, api_key=KEY)
    async with running_rig(temporal, tmp_path, provider=provider) as rig:
        running = asyncio.create_task(rig.execute([call("free-tool")], "there"))
        await asyncio.sleep(2)
        assert not running.done()
        with openai_server(rig.models, port=port) as server:
            result = await running
            assert len(server.requests) == 2
    assert result.output is not None
    assert result.output.text == "there"


async def test_what_time_mends_is_tried_again(office: Office) -> None:
    """A broken and a silent endpoint are asked again, until there is an answer; nothing ran twice."""
    office.server.faults.extend([http_status(503), hang_up()])
    result = await office.rig.execute([call("free-tool")], "done")
    assert result.status is ExecutionStatus.FINISHED
    assert len(office.server.requests) == 2 + 2
    assert len(office.rig.told.runs) == 1


async def test_a_busy_endpoints_wish_is_kept(office: Office) -> None:
    """After 429 the next request comes when the endpoint said, not at Temporal's own pace."""
    office.server.faults.append(http_status(429, headers={"retry-after": "3"}))
    result = await office.rig.execute("done")
    assert result.status is ExecutionStatus.FINISHED
    first, second = (request.at for request in office.server.requests)
    assert 2.9 < second - first < 8


async def test_a_slow_model_is_tried_again(temporal: DevServerConfig, tmp_path: Path) -> None:
    """A model that takes longer than the agent gives it is asked again, as any endpoint that is away."""

    @agent(
        name="impatient-agent",
        description="Waits a second",
        prompt="Do it.",
        model="some/model",
        tools=[],
        model_timeout=timedelta(seconds=1),
    )
    class ImpatientAgent:
        pass

    @workflow(name="impatient-workflow", version="1", flow=[start(StartText).to_agent(ImpatientAgent).to_finish(FinishText)])
    class ImpatientWorkflow:
        pass

    models = ScriptedModels()
    models.when().answer("at last")
    settings = Settings(index=f"sqlite:///{tmp_path / 'index.db'}", temporal_address=temporal.address)
    migrate(settings.index)
    with openai_server(models) as server:
        provider = OpenAIModels(serves=["some/*"], base_url=server.base_url, api_key=KEY)
        declared = Application(name="impatient", workflows=[ImpatientWorkflow], models=[provider])
        server.faults.extend([hang(60), hang(60)])
        async with declared.worker(settings) as app:
            result = await app.execute(ImpatientWorkflow, StartText(text="hi"), tenant_id="acme", timeout=SOON)
    assert result.output is not None
    assert result.output.text == "at last"


async def test_a_wrong_key_fails_the_execution(office: Office) -> None:
    """401 isn't tried again: AgentFailedError, whose cause says which variable to set and doesn't show the key."""
    office.server.faults.append(http_status(401, f"incorrect key {KEY}"))
    with pytest.raises(AgentFailedError) as raised:
        await office.rig.execute("done")
    cause = raised.value.__cause__
    assert isinstance(cause, ModelRejectedError)
    assert cause.code == "model.rejected"
    assert "OPENAI_API_KEY" in cause.message
    assert len(office.server.requests) == 1
    error: BaseException | None = raised.value
    while error is not None:
        assert KEY not in str(error)
        error = error.__cause__


async def test_no_key_fails_the_execution(
    temporal: DevServerConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker without a key starts, and its executions fail with the variable's name."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with running_rig(temporal, tmp_path, provider=OpenAIModels(serves=["*"])) as rig:
        with pytest.raises(AgentFailedError) as raised:
            await rig.execute("done")
    assert isinstance(raised.value.__cause__, ConfigurationError)
    assert "OPENAI_API_KEY" in str(raised.value.__cause__)


async def test_garbage_is_asked_for_three_times(office: Office) -> None:
    """An endpoint that gives no chat completions fails the execution after three requests."""
    office.server.faults.extend([body("<html></html>", content_type="text/html")] * 3)
    with pytest.raises(AgentFailedError) as raised:
        await office.rig.execute("done")
    assert isinstance(raised.value.__cause__, ModelAnswerError)
    assert len(office.server.requests) == 3


@pytest.mark.parametrize("ids", [no_call_ids(), same_call_ids()], ids=["none", "same"])
async def test_call_ids_that_mean_nothing(office: Office, ids: Fault) -> None:
    """Calls without ids, or with one id in all turns, are each asked, run and told once, each result with its call."""

    async def run(tool: str, payment: Any) -> str:
        return f"paid {payment.amount}"

    office.rig.told.on_run = run
    office.server.faults.extend([ids, ids])
    turns = [[call("pay-tool", amount=turn * 10 + place) for place in range(3)] for turn in (1, 2)]
    result = await office.rig.execute(*turns, "done")
    for first in (0, 3):
        assert result.status is ExecutionStatus.PAUSED
        *early, last = office.rig.ids[first:]
        assert len({*early, last}) == 3
        for pause_id in early:
            await office.rig.answer(pause_id, wait=False)
        result = await office.rig.answer(last)
    assert result.status is ExecutionStatus.FINISHED
    assert sorted(run[1].amount for run in office.rig.told.runs) == [10, 11, 12, 20, 21, 22]  # type: ignore[attr-defined]
    assert [text for _, text in office.last_results()] == [f"paid {n}" for n in (10, 11, 12, 20, 21, 22)]
    assert office.last_call_ids() == [call_id for call_id, _ in office.last_results()]
    assert len(set(office.last_call_ids()[:3])) == 3


async def test_connections_end_with_the_worker(temporal: DevServerConfig, tmp_path: Path) -> None:
    """A worker that stops leaves no connection behind."""
    with openai_server(ScriptedModels()) as server:
        provider = OpenAIModels(serves=["*"], base_url=server.base_url, api_key=KEY)
        async with running_rig(temporal, tmp_path, provider=provider) as rig:
            server.models = rig.models
            await rig.execute("done")
            assert len(server.connections) == 1
        async with asyncio.timeout(2):
            while server.connections:
                await asyncio.sleep(0.01)


async def test_broken_arguments_are_told_to_the_model(office: Office) -> None:
    """Arguments that are no JSON go back as the model wrote them, with the error; nobody is asked."""
    office.server.faults.append(raw_arguments('{"amount": '))
    result = await office.rig.execute([call("pay-tool", amount=1)], "sorry")
    assert (result.status, office.rig.ids) == (ExecutionStatus.FINISHED, [])
    assert office.last_results() == [("t0c0", "Tool error: invalid input: the arguments are no JSON object")]
    echoed = office.server.requests[-1].body["messages"][-2]["tool_calls"][0]["function"]
    assert echoed == {"name": "pay-tool", "arguments": '{"amount": '}


async def test_an_empty_turn_is_asked_again(office: Office) -> None:
    """A turn with nothing in it is answered with a request for more."""
    office.server.faults.append(empty_turn())
    result = await office.rig.execute([call("free-tool")], "done")
    assert result.output is not None
    assert result.output.text == "done"
    assert office.server.requests[-1].body["messages"][-1] == {
        "role": "user",
        "content": "Your last message was empty. Give your answer, or call a tool.",
    }


async def test_fifty_calls_run_in_one_turn(office: Office) -> None:
    """Fifty calls of one turn all run, and the next turn has their results in the order of the calls."""

    async def run(tool: str, text: Any) -> str:
        # The first calls end last.
        await asyncio.sleep((50 - int(text.text)) / 100)
        return f"ran {text.text}"

    office.rig.told.on_run = run
    result = await office.rig.execute([call("free-tool", text=str(n)) for n in range(50)], "done")
    assert result.status is ExecutionStatus.FINISHED
    assert office.last_results() == [(f"t0c{n}", f"ran {n}") for n in range(50)]
    assert len(office.rig.told.runs) == 50


async def test_fifty_calls_are_asked_in_one_turn(office: Office) -> None:
    """Fifty gated calls of one turn are all asked; answered backwards, each runs with its own arguments, and the next turn
    has their results in the order of the calls."""

    async def run(tool: str, payment: Any) -> str:
        return f"paid {payment.amount}"

    office.rig.told.on_run = run
    paused = await office.rig.execute([call("pay-tool", amount=n) for n in range(50)], "done")
    assert len(paused.pending) == len(set(office.rig.ids)) == 50
    by_amount = {ask.value.arguments.amount: ask.pause_id for ask in office.rig.told.asks}
    for amount in reversed(range(1, 50)):
        await office.rig.answer(by_amount[amount], wait=False)
    result = await office.rig.answer(by_amount[0])
    assert result.status is ExecutionStatus.FINISHED
    assert office.last_results() == [(f"t0c{n}", f"paid {n}") for n in range(50)]
    assert len(office.rig.told.runs) == 50


async def test_a_script_works_over_http_as_it_does_directly(office: Office) -> None:
    """Tools, tool results and the model name reach the script as they would without HTTP."""
    await office.rig.execute([call("free-tool", text="a")], "done")
    first, second = office.rig.models.requests
    assert first.model == second.model == "scripted/one"
    assert {tool.name for tool in first.tools} >= {"pay-tool", "free-tool"}
    assert isinstance(second.messages[-1], ToolMessage)
    assert (second.messages[-1].tool, second.messages[-1].text) == ("free-tool", "free-tool done")
