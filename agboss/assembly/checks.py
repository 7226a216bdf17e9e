"""All assembly rules: each declaration is read, checked and bound; every fault is noted, none is raised here."""

import inspect
from contextlib import suppress
from datetime import timedelta
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from agboss.assembly.bindings import ChannelBinding, ToolBinding
from agboss.assembly.interpreters import AnyModel, InterpreterBinding, check_interpreter, provider_of
from agboss.assembly.problems import Problems
from agboss.declare.agent import AgentDefinition
from agboss.declare.application import ApplicationDeclaration
from agboss.declare.channel import ChannelDefinition, ChannelOf, ChannelRoleDefinition
from agboss.declare.definitions import definition_of
from agboss.declare.flow import Flow
from agboss.declare.tool import ToolDefinition
from agboss.declare.workflow import WorkflowDefinition
from agboss.domain.pauses import PauseAnswerer
from agboss.domain.text import name as checked_name
from agboss.ports.models import ModelProvider

_LONGEST_TIMEOUT = timedelta(hours=24)


class Declarations:
    """Everything an application declares, read once; ``problems`` has what is wrong with it."""

    def __init__(self, declaration: ApplicationDeclaration) -> None:
        self.declaration = declaration
        self.problems = Problems()
        self.workflows: dict[str, tuple[type[Any], WorkflowDefinition, Flow[Any, Any]]] = {}
        self.agents: dict[type[Any], AgentDefinition] = {}
        self.tools: dict[str, ToolBinding] = {}
        self.channels: dict[str, ChannelBinding] = {}
        self.asked_by: dict[str, tuple[ChannelBinding, ...]] = {}
        """Which channels each gated tool asks: one, or all that fill its role."""
        self._elsewhere: dict[str, ChannelBinding] = {}
        """Channels of other environments: their names are taken, and they aren't made."""
        self.interpreters: dict[str, InterpreterBinding] = {}
        """By the role they read for."""
        self.models: tuple[AnyModel, ...] = tuple(declaration.models)
        self._readers: dict[type[Any], type[Any]] = {}
        self._names: dict[str, object] = {}
        self._read()

    def _read(self) -> None:
        problems, declaration = self.problems, self.declaration
        problems.check_name("application", declaration.name, suffix=None)
        if declaration.pause_record_retention <= timedelta(0):
            problems.add("limit.invalid", "application", "pause_record_retention must be above zero")
        try:
            checked_name(declaration.default_tenant)
        except ValueError as error:
            problems.add("application.default-tenant", "application", f"default_tenant: {error}")
        self._environment("application.unknown-environment", "application", declaration.environment)
        if not declaration.workflows:
            problems.add("application.no-workflow", "application", "it has no workflow")
        for component in declaration.channels:
            self._channel(component)
        for component in declaration.workflows:
            self._workflow(component)

    def _once(self, name: str, component: object) -> None:
        """A name is one thing: Temporal's types share one space."""
        if self._names.setdefault(name, component) is not component:
            other = getattr(self._names[name], "__name__", self._names[name])
            self.problems.add("name.duplicate", component, f"{name!r} is the name of {other} as well")

    def _timeout(self, where: object, what: str, value: timedelta) -> None:
        if not timedelta(0) < value <= _LONGEST_TIMEOUT:
            self.problems.add("limit.invalid", where, f"{what} must be above zero and at most 24 hours, it is {value}")

    # --- workflows and agents ---

    def _workflow(self, component: object) -> None:
        definition = definition_of(component, WorkflowDefinition)
        if definition is None or not isinstance(component, type):
            self.problems.add("workflow.not-a-workflow", component, "it is not declared with @workflow")
            return
        self.problems.check_name(component, definition.name, suffix="-workflow")
        self._once(definition.name, component)
        if len(definition.flow) != 1 or not isinstance(definition.flow[0], Flow):
            self.problems.add("flow.one", component, "flow= takes one flow, from start(…) to .to_finish(…)")
            return
        flow = definition.flow[0]
        for what, dto in (("start", flow.start), ("finish", flow.finish)):
            if not _is_model(dto):
                self.problems.add(
                    f"flow.{what}-not-a-model", component, f"the {what} must be a pydantic model, it is {dto!r}"
                )
        if not flow.agents:
            self.problems.add("flow.no-agent", component, "the flow has no agent")
        for agent in flow.agents:
            self._agent(agent, component)
        self.workflows[definition.name] = (component, definition, flow)

    def _agent(self, component: type[Any], workflow: type[Any]) -> None:
        if component in self.agents:
            return
        definition = definition_of(component, AgentDefinition)
        if definition is None:
            told = getattr(component, "__name__", component)
            self.problems.add("agent.not-an-agent", workflow, f"{told} is not declared with @agent")
            return
        self.agents[component] = definition
        self.problems.check_name(component, definition.name, suffix="-agent")
        self._once(definition.name, component)
        self._timeout(component, "model_timeout", definition.model_timeout)
        if not 1 <= definition.max_turns <= 200:
            self.problems.add("limit.invalid", component, f"max_turns must be 1 to 200, it is {definition.max_turns}")
        provider = provider_of(self.models, definition.model)
        if provider is None:
            self.problems.add("model.unserved", component, f"no provider in models= serves {definition.model!r}")
        elif not isinstance(provider, ModelProvider):
            text = f"{definition.model!r} is served by a decision model, which holds no conversation"
            self.problems.add("agent.decision-model", component, text)
        if len(set(definition.tools)) != len(definition.tools):
            self.problems.add("agent.duplicate-tool", component, "a tool is listed twice")
        for tool in definition.tools:
            self._tool(tool, component)

    # --- tools ---

    def _tool(self, component: type[Any], agent: type[Any]) -> None:
        definition = definition_of(component, ToolDefinition)
        if definition is None:
            told = getattr(component, "__name__", component)
            self.problems.add("tool.not-a-tool", agent, f"{told} is not declared with @tool")
            return
        known = self.tools.get(definition.name)
        if known is not None and known.component is component:
            return
        self.problems.check_name(component, definition.name, suffix="-tool")
        self._once(definition.name, component)
        self._timeout(component, "timeout", definition.timeout)
        run = getattr(component, "run", None)
        role = definition_of(definition.channel, ChannelRoleDefinition)
        input_model: type[BaseModel] | None
        output_model: type[BaseModel] | None
        if role is not None and role.asks is not None:
            if run is not None:
                text = f"{role.name} asks a question, whose answer is the tool's result: take run away, or use approves="
                self.problems.add("tool.run-of-question", component, text)
            input_model, output_model = role.asks, role.answer
        elif not callable(run):
            self.problems.add("tool.no-run", component, "it has no run(self, input) method")
            return
        else:
            input_model, output_model = _signature(run)
        if input_model is None:
            self.problems.add(
                "tool.input-not-a-model", component, "run must take one argument, annotated with a pydantic model"
            )
            return
        self.tools[definition.name] = ToolBinding(component, definition, input_model, output_model)
        if definition.channel is not None:
            asked = self._asked(definition.channel, component, input_model)
            if asked:
                self.asked_by[definition.name] = asked

    # --- channels ---

    def _channel(self, component: object) -> None:
        definition = definition_of(component, ChannelDefinition)
        if definition is None or not isinstance(component, type):
            self.problems.add("channel.not-a-channel", component, "it is not declared with @channel")
            return
        known = self.channels.get(definition.name) or self._elsewhere.get(definition.name)
        if known is not None and known.component is component:
            return
        self.problems.check_name(component, definition.name, suffix="-channel")
        for environment in definition.environments:
            self._environment("channel.unknown-environment", component, environment)
        self._once(definition.name, component)
        if not callable(getattr(component, "send", None)) or inspect.isabstract(component):
            self.problems.add("channel.no-send", component, "it has no send(self, ask) method")
        role_class, role = _role_of(component)
        if role_class is not None and role is not None:
            self._interpreter(role_class, role)
        here = not definition.environments or self.declaration.environment in definition.environments
        (self.channels if here else self._elsewhere)[definition.name] = ChannelBinding(component, definition, role)

    def _interpreter(self, role_class: type[Any], role: ChannelRoleDefinition) -> None:
        if role.reply_interpreter is None or role.name in self.interpreters:
            return
        first = self._readers.setdefault(role.reply_interpreter, role_class)
        if first is not role_class:
            text = (
                f"{role.reply_interpreter.__name__} reads for {first.__name__} as well; an interpreter belongs to one role"
            )
            self.problems.add("channel.shared-interpreter", role_class, text)
            return
        found = check_interpreter(self.problems, role_class, role, self.models)
        if found is not None:
            self._once(found.definition.name, found.component)
            self.interpreters[role.name] = found

    def _environment(self, code: str, where: object, name: str | None) -> None:
        known = self.declaration.environments
        if known and name is not None and name not in known:
            self.problems.add(code, where, f"environment {name!r} is none of environments=: {', '.join(known)}")

    def _none_here(self, where: object, left_out: list[ChannelBinding]) -> None:
        """All its channels are of other environments."""
        told = ", ".join(f"{one.definition.name} ({', '.join(one.definition.environments)})" for one in left_out)
        chosen = self.declaration.environment
        here = "no environment is chosen" if chosen is None else f"none takes part in environment {chosen!r}"
        text = f"{here}: there are {told}; set AGBOSS_ENVIRONMENT or Application(environment=), or add a channel"
        self.problems.add("channel.none-in-environment", where, text)

    def _asked(self, named: type[Any], tool: type[Any], input_model: type[BaseModel]) -> tuple[ChannelBinding, ...]:
        role = definition_of(named, ChannelRoleDefinition)
        if role is None:
            return self._concrete(named, tool)
        self.problems.check_name(named, role.name, suffix="-channel")
        self._once(role.name, named)
        self._interpreter(named, role)
        if not isinstance(role.answered_by, PauseAnswerer):
            text = "answered_by= is needed: PauseAnswerer.CHANNEL or PauseAnswerer.THREAD_OWNER; there is no default"
            self.problems.add("channel.answered-by-missing", named, text)
        one_kind = (role.approves is None) == (role.asks is not None) == (role.answer is not None)
        if not one_kind or not all(_is_model(dto) for dto in (role.approves, role.asks, role.answer) if dto is not None):
            text = "give approves=, or asks= and answer=, each a pydantic model"
            self.problems.add("channel.role-kind", named, text)
        approved = _approved_by_base(named)
        about = role.approves or role.asks
        if approved is not None and about is not None and approved is not about:
            text = f"it is about {about.__name__}, but derives from ChannelOf[{approved.__name__}]"
            self.problems.add("channel.approves-mismatch", named, text)
        if role.approves is not None and not issubclass(input_model, role.approves):
            text = f"its input {input_model.__name__} is not what {named.__name__} approves, {role.approves.__name__}"
            self.problems.add("channel.input-mismatch", tool, text)
        found = tuple(binding for binding in self.channels.values() if issubclass(binding.component, named))
        left_out = [binding for binding in self._elsewhere.values() if issubclass(binding.component, named)]
        if not found and left_out:
            self._none_here(named, left_out)
        elif not found:
            self.problems.add("channel.no-implementation", named, "no channel in channels= derives from it")
        return found

    def _concrete(self, named: type[Any], tool: type[Any]) -> tuple[ChannelBinding, ...]:
        definition = definition_of(named, ChannelDefinition)
        if definition is None:
            told = getattr(named, "__name__", named)
            self.problems.add(
                "channel.not-a-channel", tool, f"channel={told} is declared with neither @channel_role nor @channel"
            )
            return ()
        role_class, role = _role_of(named)
        if role is not None and role_class is not None:
            text = f"channel={named.__name__} fills the role {role_class.__name__}; name the role, which says who may answer"
            self.problems.add("channel.names-implementation", tool, text)
            return ()
        self._channel(named)
        if definition.name in self._elsewhere:
            self._none_here(tool, [self._elsewhere[definition.name]])
        found = self.channels.get(definition.name)
        return () if found is None else (found,)


def _is_model(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _signature(run: Any) -> tuple[type[BaseModel] | None, type[BaseModel] | None]:
    """The input and output models of ``run``; ``None`` for what is no model."""
    hints: dict[str, Any] = {}
    with suppress(NameError, TypeError):
        hints = get_type_hints(run)
    parameters = list(inspect.signature(run).parameters)[1:]
    if len(parameters) != 1:
        return None, None
    input_model, output_model = hints.get(parameters[0]), hints.get("return")
    return (
        input_model if _is_model(input_model) else None,
        output_model if _is_model(output_model) else None,
    )


def _role_of(component: type[Any]) -> tuple[type[Any] | None, ChannelRoleDefinition | None]:
    for base in component.__mro__[1:]:
        role = definition_of(base, ChannelRoleDefinition)
        if role is not None:
            return base, role
    return None, None


def _approved_by_base(role: type[Any]) -> type[Any] | None:
    for base in getattr(role, "__orig_bases__", ()):
        if get_origin(base) is ChannelOf:
            (argument,) = get_args(base)
            return argument if isinstance(argument, type) else None
    return None
