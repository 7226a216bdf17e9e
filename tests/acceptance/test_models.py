"""Whole executions whose model is an endpoint, over real HTTP."""

import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agboss import OpenAIModels, ScriptedModels, Terminal
from agboss.devserver.config import DevServerConfig
from agboss.domain.conversation import ModelAnswer, ModelRequest, ToolCall
from agboss.errors import AgentFailedError, ModelAnswerError, ModelRejectedError
from agboss.settings import Settings
from agboss.stores.migrate import migrate
from agboss.testing.openai_server import Fault, OpenAIServer, openai_server
from tests.rig import Rig, Told, application, call, play


@pytest.fixture
def endpoint() -> Iterator[OpenAIServer]:
    models = ScriptedModels()
    models.when().reply(play)
    with openai_server(models) as server:
        yield server


@asynccontextmanager
async def rig_at(endpoint: OpenAIServer, temporal: DevServerConfig, folder: Path) -> AsyncIterator[Rig]:
    """The rig, with its model behind HTTP."""
    url = f"sqlite:///{folder / 'index.db'}"
    migrate(url)
    told, terminal = Told(), Terminal()
    provider: Any = OpenAIModels(base_url=endpoint.base_url, api_key="test")
    declaration = application(told, provider, name=f"http-{secrets.token_hex(4)}", services=[terminal])
    settings = Settings(index=url, temporal_address=temporal.address, temporal_namespace=temporal.namespace)
    assert isinstance(endpoint.models, ScriptedModels)
    async with declaration.worker(settings) as app:
        yield Rig(app, told, endpoint.models, settings, declaration, terminal)


@pytest.fixture
async def rig(endpoint: OpenAIServer, temporal: DevServerConfig, tmp_path: Path) -> AsyncIterator[Rig]:
    async with rig_at(endpoint, temporal, tmp_path) as running:
        yield running


async def test_an_execution_over_http(rig: Rig, endpoint: OpenAIServer) -> None:
    """A gated call pauses, is answered, runs, and the endpoint reads its result; two completions, no more."""
    await rig.execute([call("pay-tool", amount=3)], "paid")
    result = await rig.answer(rig.ids[0])
    assert result.output is not None and result.output.text == "paid"
    assert list(rig.last_results().values()) == ["pay-tool done"]
    assert (len(endpoint.requests), endpoint.answered) == (2, 2)


async def test_an_endpoint_that_is_busy_is_asked_again(rig: Rig, endpoint: OpenAIServer) -> None:
    """429 with Retry-After, 503, and an answer that makes no sense: tried again by Temporal, without asking people twice."""
    nonsense = Fault(body="<html>", content_type="text/html")
    endpoint.faults.extend([nonsense, Fault(status=429, headers={"Retry-After": "0"}), Fault(status=503)])
    await rig.execute([call("pay-tool", amount=3)], "paid")
    assert len(rig.ids) == 1
    result = await rig.answer(rig.ids[0])
    assert result.output is not None and result.output.text == "paid"
    assert endpoint.answered == 2


async def test_an_endpoint_that_refuses_fails_the_agent(rig: Rig, endpoint: OpenAIServer) -> None:
    """401 is asked once: AgentFailedError, with the endpoint's refusal as its cause."""
    endpoint.faults.append(Fault(status=401))
    with pytest.raises(AgentFailedError) as caught:
        await rig.execute([call("pay-tool", amount=3)], "paid")
    assert isinstance(caught.value.__cause__, ModelRejectedError)
    assert len(endpoint.requests) == 1


async def test_garbage_for_ever_fails_the_agent(rig: Rig, endpoint: OpenAIServer) -> None:
    """An endpoint that answers nonsense is asked three times, and then the agent fails with that."""
    endpoint.faults.extend([Fault(body="{}")] * 5)
    with pytest.raises(AgentFailedError) as caught:
        await rig.execute([call("pay-tool", amount=3)], "paid")
    assert isinstance(caught.value.__cause__, ModelAnswerError)
    assert len(endpoint.requests) == 3


async def test_call_ids_are_only_echoed(rig: Rig, endpoint: OpenAIServer) -> None:
    """A model that omits, repeats and duplicates call ids: every call is asked and answered for itself, and the endpoint is
    sent one result for each call, under ids of their own."""

    def reply(request: ModelRequest) -> ModelAnswer:
        if any(message.role == "tool" for message in request.messages):
            return ModelAnswer(text="paid")
        ids = ("same", "same", None, None)
        calls = (ToolCall(id=id, name="pay-tool", arguments={"amount": n}) for n, id in enumerate(ids))
        return ModelAnswer(text="", calls=tuple(calls))

    endpoint.models = ScriptedModels()
    endpoint.models.when().reply(reply)
    await rig.execute("anything")
    assert len(set(rig.ids)) == 4
    for ask in list(rig.told.asks):
        amount = ask.value.arguments.amount
        result = await rig.answer(ask.pause_id, {"approved": amount % 2 == 0})
    assert result.output is not None and result.output.text == "paid"
    assert sorted(run[1].amount for run in rig.told.runs) == [0, 2]  # type: ignore[attr-defined]
    tool_messages = [m for m in endpoint.requests[-1].body["messages"] if m["role"] == "tool"]
    assert len({message["tool_call_id"] for message in tool_messages}) == 4
    said = ["done" if "done" in message["content"] else "rejected" for message in tool_messages]
    assert said == ["done", "rejected", "done", "rejected"]


async def test_fifty_calls_in_a_turn(rig: Rig, endpoint: OpenAIServer) -> None:
    """All fifty run, and the next request has their results in the order of the calls."""
    turn = [call("free-tool", text=str(number)) for number in range(50)]
    result = await rig.execute(turn, "done", timeout=None)
    assert result.output is not None and result.output.text == "done"
    assert len(rig.told.runs) == 50
    sent = endpoint.requests[-1].body["messages"]
    asked = [entry["id"] for message in sent if message["role"] == "assistant" for entry in message.get("tool_calls", ())]
    answered = [message["tool_call_id"] for message in sent if message["role"] == "tool"]
    assert asked == answered and len(asked) == 50


async def test_an_empty_turn_is_asked_again(rig: Rig, endpoint: OpenAIServer) -> None:
    """No text and no call is no answer; the model is told so, and its next turn counts."""
    result = await rig.execute("", "now I answer")
    assert result.output is not None and result.output.text == "now I answer"
    assert endpoint.answered == 2


async def test_an_endpoint_slower_than_the_turn_is_asked_again(
    rig: Rig, endpoint: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model turn that takes too long is worth another try, as an endpoint that is down is."""
    from agboss.temporal.user_code import UserCode

    run = UserCode.run

    async def hurried(self: UserCode, function: Any, *args: Any, frame: Any, timeout: float) -> Any:
        return await run(self, function, *args, frame=frame, timeout=0.5 if function.__name__ == "complete" else timeout)

    monkeypatch.setattr(UserCode, "run", hurried)
    endpoint.faults.append(Fault(hang_seconds=20))
    result = await rig.execute("done")
    assert result.output is not None and result.output.text == "done"
    assert len(endpoint.requests) == 2
