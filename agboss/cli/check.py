"""``agboss check``: every fault of the declarations at once, or what the application consists of."""

from typing import Any

import typer
from rich.console import RenderableType
from rich.text import Text

from agboss.assembly.assembled import Assembled, assemble
from agboss.cli.exits import Exit
from agboss.cli.finding import find_application
from agboss.cli.options import ApplicationOption, JsonOption
from agboss.cli.output import Output, plain, row, table
from agboss.declare.application import in_environment
from agboss.domain.plan import AgentPlan, ChannelPlan, ToolPlan
from agboss.errors import AssemblyError
from agboss.settings import Settings


def check(ctx: typer.Context, application: ApplicationOption = None, json: JsonOption = False) -> None:
    """Check the declarations: all problems at once, or a summary."""
    output: Output = ctx.obj
    declared = in_environment(find_application(application), Settings.from_environment().environment)
    try:
        assembled = assemble(declared)
    except AssemblyError as error:
        problems = [{"code": p.code, "where": p.where, "text": p.text} for p in error.problems]
        lines = [
            Text.assemble((f"[{problem.code}]", "bold red"), " ", plain(problem.where, "bold"), ": ", plain(problem.text))
            for problem in error.problems
        ]
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        output.result(
            {"application": declared.name, "problems": problems},
            [*lines, plain(f"application {declared.name} has {count}", "bold")],
        )
        raise typer.Exit(Exit.FAILED) from None
    output.result(_document(assembled), _shown(assembled))


def _document(assembled: Assembled) -> dict[str, Any]:
    plans = [(name, assembled.flow(name)) for name in assembled.workflows]
    return {
        "application": assembled.name,
        "problems": [],
        "workflows": [
            {
                "name": name,
                "version": flow.plan.version,
                "start": flow.plan.start,
                "agents": [step.agent for step in flow.plan.agents],
                "finish": flow.plan.finish,
                "needs_owner": flow.reaches_owner,
            }
            for name, flow in plans
        ],
        "agents": [
            {"name": agent.agent, "model": agent.model, "tools": [tool.name for tool in agent.tools]}
            for agent in _agents(assembled)
        ],
        "tools": [
            {
                "name": tool.name,
                "channel": None if tool.channel is None else tool.channel.name,
                "idempotent": tool.idempotent,
            }
            for tool in assembled.tool_plans()
        ],
        "channels": [
            {
                "name": channel.name,
                "implementations": list(channel.asked),
                "answered_by": channel.answered_by.value,
                "four_eyes": channel.four_eyes,
            }
            for channel in _channels(assembled.tool_plans())
        ],
    }


def _shown(assembled: Assembled) -> list[RenderableType]:
    workflows = table("workflow", "version", "flow", "needs an owner")
    for name in assembled.workflows:
        flow = assembled.flow(name)
        steps = " → ".join([flow.plan.start, *(step.agent for step in flow.plan.agents), flow.plan.finish])
        row(workflows, name, flow.plan.version, steps, "yes" if flow.reaches_owner else "no")
    agents = table("agent", "model", "tools")
    for agent in _agents(assembled):
        row(agents, agent.agent, agent.model, ", ".join(tool.name for tool in agent.tools) or "–")
    tools = table("tool", "asks", "runs again after a lost worker")
    for tool in assembled.tool_plans():
        row(tools, tool.name, tool.channel.name if tool.channel else "–", "yes" if tool.idempotent else "no")
    channels = table("channel", "implemented by", "answered by")
    for channel in _channels(assembled.tool_plans()):
        who = channel.answered_by.value + (", not the owner" if channel.four_eyes else "")
        row(channels, channel.name, ", ".join(channel.asked), who)
    filled = [made for made in (workflows, agents, tools, channels) if made.row_count]
    return [*filled, Text.assemble(("✓ ", "bold green"), plain(f"application {assembled.name} fits together"))]


def _agents(assembled: Assembled) -> list[AgentPlan]:
    steps = (step for name in assembled.workflows for step in assembled.flow(name).plan.agents)
    return list({step.agent: step for step in steps}.values())


def _channels(tools: tuple[ToolPlan, ...]) -> list[ChannelPlan]:
    return list({tool.channel.name: tool.channel for tool in tools if tool.channel is not None}.values())
