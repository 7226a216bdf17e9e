"""From checked declarations to the plan that a running execution carries."""

from typing import Any

from agboss.assembly.bindings import ChannelBinding, CompiledFlow
from agboss.assembly.checks import Declarations
from agboss.decisions.keys import canonical_json, content_hash, digest
from agboss.declare.flow import FinishText
from agboss.domain.pauses import PauseAnswerer
from agboss.domain.plan import AgentPlan, ChannelPlan, FlowPlan, ToolPlan


def compiled(declarations: Declarations, name: str) -> CompiledFlow:
    """The flow of the workflow called ``name``."""
    _, definition, flow = declarations.workflows[name]
    agents = tuple(
        _agent(declarations, component, node=node, finish=flow.finish if index == len(flow.agents) - 1 else None)
        for index, (component, node) in enumerate(zip(flow.agents, _nodes(declarations, flow.agents), strict=True))
    )
    plan = FlowPlan(
        application=declarations.declaration.name,
        workflow=definition.name,
        version=definition.version,
        start=flow.start.__name__,
        finish=flow.finish.__name__,
        agents=agents,
    )
    content = canonical_json(plan.model_dump(mode="json")).encode()
    asked = [tool.channel for agent in agents for tool in agent.tools if tool.channel is not None]
    return CompiledFlow(
        plan=plan,
        plan_bytes=content,
        plan_hash=content_hash(content),
        start_model=flow.start,
        finish_model=flow.finish,
        reaches_owner=any(channel.answered_by is PauseAnswerer.THREAD_OWNER for channel in asked),
    )


def _nodes(declarations: Declarations, agents: tuple[type[Any], ...]) -> list[str]:
    """A name for each step: the agent's, numbered from its second occurrence on."""
    names: list[str] = []
    for component in agents:
        name = declarations.agents[component].name
        before = sum(other == component for other in agents[: len(names)])
        names.append(f"{name}-{before + 1}" if before else name)
    return names


def _agent(declarations: Declarations, component: type[Any], *, node: str, finish: type[Any] | None) -> AgentPlan:
    definition = declarations.agents[component]
    structured = finish is not None and finish is not FinishText
    return AgentPlan(
        node=node,
        agent=definition.name,
        description=definition.description,
        prompt=definition.prompt,
        model=definition.model,
        tools=tuple(tool_plan(declarations, tool) for tool in definition.tools),
        max_turns=definition.max_turns,
        model_timeout_seconds=definition.model_timeout.total_seconds(),
        answer_schema=finish.model_json_schema() if structured and finish is not None else None,
    )


def tool_plan(declarations: Declarations, component: type[Any]) -> ToolPlan:
    """One tool as the model sees it and as its calls run."""
    binding = next(binding for binding in declarations.tools.values() if binding.component is component)
    definition = binding.definition
    schema = binding.input_model.model_json_schema()
    return ToolPlan(
        name=definition.name,
        description=definition.description,
        input_schema=schema,
        schema_hash=digest("schema", schema),
        timeout_seconds=definition.timeout.total_seconds(),
        idempotent=definition.idempotent,
        channel=_channel_plan(declarations.asked_by.get(definition.name, ())),
    )


def _channel_plan(asked: tuple[ChannelBinding, ...]) -> ChannelPlan | None:
    """Several channels of one role are asked as one: one pause, under the role's name."""
    if not asked:
        return None
    role = asked[0].role
    names = tuple(binding.definition.name for binding in asked)
    name = role.name if role else names[0]
    return ChannelPlan(
        name=name,
        implementation=names[0] if len(names) == 1 else name,
        answered_by=(role.answered_by if role and role.answered_by else PauseAnswerer.THREAD_OWNER),
        four_eyes=role.four_eyes if role else False,
        answer_schema=role.answer.model_json_schema() if role and role.answer else None,
        implementations=names,
        tells_answers=any(binding.hears_answers for binding in asked),
    )
