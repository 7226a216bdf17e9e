"""What an application of interpreters may not be: every problem at once, before anything is made."""

from typing import Any

import pytest
from pydantic import BaseModel

from agboss import (
    Application,
    ChannelOf,
    DecidedBy,
    FinishText,
    PauseAnswerer,
    ScriptedModels,
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
from agboss.errors import AssemblyError


class Dto(BaseModel):
    text: str = ""


class Unprovided:
    pass


def application_of(*interpreters: Any, models: Any = None) -> Application:
    """An application with one role for each interpreter."""
    tools, channels = [], []
    for number, interpreter in enumerate(interpreters):

        @channel_role(
            name=f"role-{number}-channel",
            description="",
            approves=Dto,
            answered_by=PauseAnswerer.CHANNEL,
            reply_interpreter=interpreter,
        )
        class Role(ChannelOf[Dto]):
            pass

        Role.__name__ = f"Role{number}"

        @channel(name=f"desk-{number}-channel", description="")
        class Desk(Role):
            async def send(self, ask: Any) -> Any: ...

        @tool(name=f"gated-{number}-tool", description="", channel=Role)
        class Tool:
            def run(self, dto: Dto) -> str:
                return ""

        tools.append(Tool)
        channels.append(Desk)

    @agent(name="an-agent", description="", prompt="", model="served/m", tools=tools)
    class Agent:
        pass

    @workflow(name="w-workflow", version="1", flow=[start(StartText).to_agent(Agent).to_finish(FinishText)])
    class Workflow:
        pass

    models = [ScriptedModels(serves=["served/*"])] if models is None else models
    return Application(name="app", workflows=[Workflow], channels=channels, models=models)


def problems_of(application: Application) -> dict[str, str]:
    with pytest.raises(AssemblyError) as raised:
        assemble(application)
    return {problem.code: str(problem) for problem in raised.value.problems}


def test_all_problems_of_interpreters_at_once() -> None:
    """S084, S099, S112, S113, S114, S115, S116: seven different faults are one error with seven codes, and nothing is made."""

    @reply_interpreter(name="reader", description="", decided_by=DecidedBy.MODEL, model="served/m")
    class Misnamed:
        pass

    class Undeclared:
        pass

    @reply_interpreter(name="empty-reply-interpreter", description="", decided_by=DecidedBy.CODE)
    class Empty:
        pass

    @reply_interpreter(name="lost-reply-interpreter", description="", decided_by=DecidedBy.MODEL, model="other/m")
    class Lost:
        pass

    @reply_interpreter(name="needy-reply-interpreter", description="", decided_by=DecidedBy.CODE, prompt="Read.")
    class Needy:
        def __init__(self, needed: Unprovided) -> None:
            raise AssertionError("nothing is made before everything is checked")

        def interpret(self, input: Any) -> Any: ...

    @reply_interpreter(
        name="silent-reply-interpreter", description="", decided_by=DecidedBy.MODEL, prompt_urls=["file:///x"]
    )
    class Silent:
        pass

    found = problems_of(application_of(Misnamed, Undeclared, Empty, Lost, Needy, Silent, Empty))
    assert set(found) == {
        "name.kind-suffix",
        "reply-interpreter.not-an-interpreter",
        "reply-interpreter.no-interpret-method",
        "model.unserved",
        "service.unknown",
        "reply-interpreter.code-with-model",
        "reply-interpreter.no-model",
        "reply-interpreter.prompt-url",
        "channel.shared-interpreter",
    }
    assert "'reader'" in found["name.kind-suffix"]
    assert "Role1" in found["reply-interpreter.not-an-interpreter"]
    assert "Undeclared" in found["reply-interpreter.not-an-interpreter"]
    assert "Empty" in found["reply-interpreter.no-interpret-method"]
    assert "lost-reply-interpreter" in found["model.unserved"] and "other/m" in found["model.unserved"]
    assert "Role6" in found["channel.shared-interpreter"] and "Role2" in found["channel.shared-interpreter"]


def test_a_sound_interpreter_is_bound_to_its_role() -> None:
    """S112, S115: the counterpart: nothing is wrong here, and each role finds its own interpreter, once."""

    @reply_interpreter(
        name="one-reply-interpreter", description="", decided_by=DecidedBy.MODEL, model="served/m", prompt="p"
    )
    class One:
        pass

    @reply_interpreter(name="two-reply-interpreter", description="", decided_by=DecidedBy.CODE)
    class Two:
        def interpret(self, input: Any) -> Any: ...

    assembled = assemble(application_of(One, Two, None))
    found = [assembled.interpreter(f"role-{number}-channel") for number in range(3)]
    assert [None if one is None else one.component for one in found] == [One, Two, None]
    assert found[0] is not None and assembled.instructions(found[0]) == "p"


def test_an_interpreters_name_is_its_own() -> None:
    """S112: its name is a Temporal type like every other, so it is taken once."""

    @reply_interpreter(name="same-reply-interpreter", description="", decided_by=DecidedBy.MODEL, model="served/m")
    class One:
        pass

    @reply_interpreter(name="same-reply-interpreter", description="", decided_by=DecidedBy.MODEL, model="served/m")
    class Two:
        pass

    assert set(problems_of(application_of(One, Two))) == {"name.duplicate"}
