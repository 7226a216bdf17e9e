"""Assembly: every problem at once, before anything is made; and injection by type."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from agboss import (
    Application,
    ChannelOf,
    ExecutionContext,
    FinishText,
    ScriptedModels,
    StartText,
    agent,
    channel_role,
    start,
    tool,
    workflow,
)
from agboss.assembly.assembled import assemble
from agboss.errors import AssemblyError


class Dto(BaseModel):
    text: str = ""


class Other(BaseModel):
    number: int = 0


class Unprovided:
    def __init__(self, name: str) -> None:
        self.name = name


def test_all_problems_are_reported_at_once() -> None:
    """S116, S125, S259: one error with every fault, each with its bracketed code; nothing was made."""

    @channel_role(name="role-channel", description="", approves=Other, answered_by=None)  # type: ignore[arg-type]
    class Role(ChannelOf[Other]):
        pass

    @tool(name="wrong", description="", channel=Role, timeout=timedelta(0))
    class Tool:
        def __init__(self, needed: Unprovided, untyped) -> None:  # type: ignore[no-untyped-def]
            raise AssertionError("nothing is made before everything is checked")

        def run(self, dto: Dto) -> str:
            return ""

    @tool(name="empty-tool", description="")
    class Empty:
        pass

    @agent(name="an-agent", description="", prompt="", model="unserved/m", tools=[Tool, Empty, Dto], max_turns=0)
    class Agent:
        pass

    @workflow(name="w-workflow", version="1", flow=[start(StartText).to_agent(Agent).to_finish(FinishText)])
    class Workflow:
        pass

    with pytest.raises(AssemblyError) as raised:
        assemble(Application(name="app", workflows=[Workflow], models=[ScriptedModels(serves=["served/*"])]))
    assert {problem.code for problem in raised.value.problems} == {
        "name.kind-suffix",
        "limit.invalid",
        "channel.answered-by-missing",
        "channel.input-mismatch",
        "channel.no-implementation",
        "tool.no-run",
        "tool.not-a-tool",
        "model.unserved",
        "service.unknown",
        "service.untyped",
    }
    assert "[model.unserved] Agent:" in str(raised.value)


def test_a_class_is_declared_once() -> None:
    """A second decoration is refused at once."""

    @tool(name="one-tool", description="")
    class Tool:
        def run(self, dto: Dto) -> str:
            return ""

    with pytest.raises(TypeError, match="declared already"):
        tool(name="two-tool", description="")(Tool)


def test_injection_by_type() -> None:
    """Components are made once, with services, instances and the context; a default that nobody provides stays."""

    class Service:
        def __init__(self, folder: Path = Path("default")) -> None:
            self.folder = folder

    @tool(name="one-tool", description="")
    class Tool:
        def __init__(self, service: Service, given: Unprovided, context: ExecutionContext) -> None:
            self.service, self.given, self.context = service, given, context

        def run(self, dto: Dto) -> str:
            return ""

    @agent(name="an-agent", description="", prompt="", model="m", tools=[Tool])
    class Agent:
        pass

    @workflow(name="w-workflow", version="1", flow=[start(StartText).to_agent(Agent).to_finish(FinishText)])
    class Workflow:
        pass

    given = Unprovided("mine")
    assembled = assemble(Application(name="app", workflows=[Workflow], models=[ScriptedModels()], services=[Service, given]))
    made: Any = assembled.tool("one-tool").run.__self__  # type: ignore[attr-defined]
    assert (made.service.folder, made.given) == (Path("default"), given)
    assert assembled.tool("one-tool").run.__self__ is made  # type: ignore[attr-defined]
    assert isinstance(made.context, ExecutionContext)


def test_the_public_names_are_what_they_say() -> None:
    """``__all__`` equals what is exported, and importing the package loads nothing else."""
    import subprocess
    import sys

    import agboss

    assert sorted(agboss.__all__) == sorted(agboss._HOMES)
    assert all(getattr(agboss, name) is not None for name in agboss.__all__)
    code = "import sys, agboss; print([m for m in sys.modules if m.startswith(('agboss.', 'temporalio', 'pydantic'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
