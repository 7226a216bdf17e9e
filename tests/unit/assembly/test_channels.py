"""Which channels fill a role: several at once, or those of the environment the application runs in."""

from typing import Any

import pytest
from pydantic import BaseModel

from agboss import (
    Application,
    ChannelAnswered,
    ChannelOf,
    FinishText,
    PauseAnswerer,
    ScriptedModels,
    Settings,
    StartText,
    agent,
    channel,
    channel_role,
    start,
    tool,
    workflow,
)
from agboss.assembly.assembled import Assembled, assemble
from agboss.declare.application import in_environment
from agboss.domain.plan import ChannelPlan
from agboss.errors import AssemblyError


class Dto(BaseModel):
    text: str = ""


class NeedsSlack:
    """Nobody provides it."""

    def __init__(self, token: str) -> None:
        self.token = token


@channel_role(name="role-channel", description="", approves=Dto, answered_by=PauseAnswerer.CHANNEL)
class Role(ChannelOf[Dto]):
    pass


@channel(name="one-channel", description="")
class One(Role):
    async def send(self, ask: Any) -> Any: ...


@channel(name="two-channel", description="")
class Two(Role):
    async def send(self, ask: Any) -> Any: ...

    async def answered(self, answered: ChannelAnswered[Dto]) -> None: ...


@channel(name="terminal-role-channel", description="", environments=("dev", "test"))
class InDev(Role):
    async def send(self, ask: Any) -> Any: ...


@channel(name="slack-role-channel", description="", environments=("prod",))
class InProd(Role):
    def __init__(self, slack: NeedsSlack) -> None:
        raise AssertionError("it is not made elsewhere")

    async def send(self, ask: Any) -> Any: ...


@channel(name="bare-channel", description="", environments=["prod"])
class Bare:
    async def send(self, ask: Any) -> Any: ...

    async def answered(self, answered: Any) -> None: ...


@tool(name="role-tool", description="", channel=Role)
class ByRole:
    def run(self, dto: Dto) -> str:
        return ""


@tool(name="implementation-tool", description="", channel=One)
class ByImplementation:
    def run(self, dto: Dto) -> str:
        return ""


@tool(name="bare-tool", description="", channel=Bare)
class ByItself:
    def run(self, dto: Dto) -> str:
        return ""


def application(*tools: type[Any], **options: Any) -> Application:
    @agent(name="an-agent", description="", prompt="", model="m", tools=tools)
    class Agent:
        pass

    @workflow(name="w-workflow", version="1", flow=[start(StartText).to_agent(Agent).to_finish(FinishText)])
    class Workflow:
        pass

    return Application(name="app", workflows=[Workflow], models=[ScriptedModels()], **options)


def plan_of(assembled: Assembled) -> ChannelPlan:
    (planned,) = assembled.tool_plans()
    assert planned.channel is not None
    return planned.channel


def problems(declared: Application) -> list[tuple[str, str]]:
    with pytest.raises(AssemblyError) as raised:
        assemble(declared)
    return sorted((problem.code, problem.where) for problem in raised.value.problems)


def test_several_channels_fill_a_role_as_one() -> None:
    """S259: both are asked under the role's name, in their order; one that has ``answered`` makes the role hear answers."""
    plan = plan_of(assemble(application(ByRole, channels=[Two, One])))
    assert (plan.name, plan.implementation, plan.asked) == ("role-channel", "role-channel", ("two-channel", "one-channel"))
    assert plan.tells_answers


def test_one_channel_is_itself() -> None:
    """S022: the steps of a role with one channel have that channel's name; without ``answered`` it hears nothing."""
    plan = plan_of(assemble(application(ByRole, channels=[One])))
    assert (plan.name, plan.implementation, plan.asked) == ("role-channel", "one-channel", ("one-channel",))
    assert not plan.tells_answers


def test_a_plan_of_an_older_version_names_its_one_channel() -> None:
    """Design, "the flow is data": what was started before roles had several goes on with its one."""
    older = ChannelPlan(name="role-channel", implementation="one-channel", answered_by=PauseAnswerer.CHANNEL)
    assert older.asked == ("one-channel",) and not older.tells_answers


def test_a_tool_names_the_role_and_no_channel_of_it() -> None:
    """S259: naming one of a role's channels is a problem, however many it has."""
    assert problems(application(ByRole, ByImplementation, channels=[One, Two])) == [
        ("channel.names-implementation", "ByImplementation")
    ]


@pytest.mark.parametrize(
    ("environment", "asked"),
    [("dev", "terminal-role-channel"), ("test", "terminal-role-channel"), ("prod", "slack-role-channel")],
)
def test_each_environment_asks_its_own_channel(environment: str, asked: str) -> None:
    """S260: one application in several environments; what a channel of another one needs, nobody has to provide."""
    services = [NeedsSlack("token")] if environment == "prod" else []
    plan = plan_of(assemble(application(ByRole, channels=[InDev, InProd], environment=environment, services=services)))
    assert (plan.name, plan.asked) == ("role-channel", (asked,))


def test_a_channel_of_no_environment_takes_part_in_all() -> None:
    """S260: beside those of the chosen one."""
    channels = [One, InDev, InProd]
    assert plan_of(assemble(application(ByRole, channels=channels))).asked == ("one-channel",)
    chosen = plan_of(assemble(application(ByRole, channels=channels, environment="dev")))
    assert chosen.asked == ("one-channel", "terminal-role-channel")


@pytest.mark.parametrize("environment", [None, "staging"])
def test_a_role_that_has_none_left(environment: str | None) -> None:
    """S260: without a channel in the chosen environment, or where none is chosen, nobody would be asked."""
    declared = application(ByRole, ByItself, channels=[InDev, InProd], environment=environment)
    assert problems(declared) == [("channel.none-in-environment", "ByItself"), ("channel.none-in-environment", "Role")]
    with pytest.raises(AssemblyError, match=r"terminal-role-channel \(dev, test\), slack-role-channel \(prod\)"):
        assemble(declared)


def test_environments_have_names() -> None:
    """S260: where all are declared, a name that is none of them is a typing mistake, the application's and a channel's."""
    declared = application(ByRole, channels=[One, InDev], environment="dve", environments=("dev", "prod"))
    assert problems(declared) == [
        ("application.unknown-environment", "application"),
        ("channel.unknown-environment", "InDev"),
    ]


def test_environments_are_several() -> None:
    """S260: one name in place of several would be read letter by letter."""
    with pytest.raises(TypeError, match="environments=\\('dev',\\)"):
        channel(name="a-channel", description="", environments="dev")


def test_the_setting_overrules_the_application() -> None:
    """S260: ``AGBOSS_ENVIRONMENT`` says where it runs; without it the application's own word counts."""
    declared = application(ByRole, channels=[InDev, InProd], environment="prod")
    given = Settings.from_environment({"AGBOSS_ENVIRONMENT": "dev"}).environment
    assert plan_of(assemble(in_environment(declared, given))).asked == ("terminal-role-channel",)
    assert in_environment(declared, Settings.from_environment({}).environment) is declared
