"""An assembled application: checked, compiled, and able to make its components."""

from collections.abc import Callable, Mapping
from typing import Any

from dishka import Container
from pydantic import BaseModel

from agboss.assembly.bindings import BoundChannel, BoundTool, CompiledFlow
from agboss.assembly.checks import Declarations
from agboss.assembly.compile import compiled, tool_plan
from agboss.assembly.container import check_services, container_of, with_defaults
from agboss.assembly.interpreters import InterpreterBinding, provider_of
from agboss.assembly.validation import merged_override, validated
from agboss.declare.application import ApplicationDeclaration
from agboss.declare.definitions import definition_of
from agboss.declare.observer import Observer
from agboss.declare.workflow import WorkflowDefinition
from agboss.domain.plan import ToolPlan
from agboss.domain.replies import DecidedBy
from agboss.errors import AssemblyError, ConfigurationError
from agboss.ports.decision_models import DecisionModel
from agboss.ports.models import ModelProvider


def assemble(declaration: ApplicationDeclaration) -> "Assembled":
    """Check everything at once, and compile.

    Raises:
        AssemblyError: with every problem there is; nothing was made or connected.
    """
    declarations = Declarations(declaration)
    problems = declarations.problems
    observers = [observer for observer in declaration.observers if isinstance(observer, type)]
    components: list[type[Any]] = [
        *(binding.component for binding in declarations.tools.values()),
        *(binding.component for binding in declarations.channels.values()),
        *(
            interpreter.component
            for interpreter in declarations.interpreters.values()
            if interpreter.definition.decided_by is DecidedBy.CODE
        ),
        *observers,
    ]
    for observer in declaration.observers:
        kind = observer if isinstance(observer, type) else type(observer)
        if not issubclass(kind, Observer):
            problems.add("application.not-an-observer", kind, "it doesn't derive from Observer")
    services = with_defaults(components, list(declaration.services))
    check_services(problems, components, services)
    if problems.found:
        raise AssemblyError(declaration.name, problems.found)
    return Assembled(declarations, container_of(components, services))


class Assembled:
    """Made by ``assemble``. Components are made once each, at their first use."""

    def __init__(self, declarations: Declarations, container: Container) -> None:
        self._declarations = declarations
        self.declaration = declarations.declaration
        self._container = container
        self._flows = {name: compiled(declarations, name) for name in declarations.workflows}
        self._tools: dict[str, BoundTool] = {}
        self._channels: dict[str, BoundChannel] = {}
        self.prompt_texts: dict[str, str] = {}
        """Texts of interpreters' ``prompt_urls``, once they are fetched."""

    @property
    def name(self) -> str:
        return self.declaration.name

    @property
    def default_tenant(self) -> str:
        return self.declaration.default_tenant

    @property
    def workflows(self) -> tuple[str, ...]:
        """Names of the workflows."""
        return tuple(self._flows)

    def flow(self, workflow: type[Any] | str) -> CompiledFlow:
        """The compiled flow of a workflow class or name.

        Raises:
            ConfigurationError: the application has no such workflow.
        """
        definition = definition_of(workflow, WorkflowDefinition)
        name = definition.name if definition is not None else workflow
        flow = self._flows.get(name) if isinstance(name, str) else None
        if flow is None:
            there = ", ".join(self._flows)
            raise ConfigurationError(f"application {self.name!r} has no workflow {name!r}; it has: {there}")
        return flow

    # --- tools ---

    def has_tool(self, name: str) -> bool:
        """Whether this deployment has the tool."""
        return name in self._declarations.tools

    def tool(self, name: str) -> BoundTool:
        """The tool, with its instance."""
        bound = self._tools.get(name)
        if bound is None:
            binding = self._declarations.tools[name]
            instance = self._container.get(binding.component)
            bound = self._tools[name] = BoundTool(instance.run, binding.input_model, binding.output_model)
        return bound

    def answer_model(self, tool: str) -> type[BaseModel] | None:
        """What answers the question that a tool asks; ``None`` for a tool that is approved, or isn't here any more."""
        # Several channels that one tool asks fill the same role.
        asked = self._declarations.asked_by.get(tool, ())
        return asked[0].role.answer if asked and asked[0].role is not None else None

    def tool_plans(self) -> tuple[ToolPlan, ...]:
        """Every tool of the application."""
        return tuple(tool_plan(self._declarations, binding.component) for binding in self._declarations.tools.values())

    def validate(self, tool: str, arguments: Mapping[str, Any]) -> BaseModel:
        """``arguments`` as the tool's input.

        Raises:
            DtoValidationError: they are none.
        """
        return validated(self._declarations.tools[tool].input_model, arguments, what="input")

    def merge_override(self, tool: str, asked: Mapping[str, Any], override: Mapping[str, Any]) -> BaseModel:
        """An override as the tool's input (R24).

        Raises:
            DtoValidationError: it is none, or the tool is not in this deployment any more.
        """
        return merged_override(self._declarations.tools[tool].input_model, asked, override)

    # --- channels, models, observers ---

    def channel(self, name: str) -> BoundChannel:
        """The channel, with its instance.

        Raises:
            ConfigurationError: this deployment has no such channel.
        """
        bound = self._channels.get(name)
        if bound is None:
            binding = self._declarations.channels.get(name)
            if binding is None:
                raise ConfigurationError(
                    f"channel {name!r} is not in this deployment; deploy it again, or cancel what waits"
                )
            instance = self._container.get(binding.component)
            bound = self._channels[name] = BoundChannel(
                instance.send,
                getattr(instance, "withdraw", None),
                instance.answered if binding.hears_answers else None,
            )
        return bound

    def provider(self, model: str) -> ModelProvider:
        """The provider that serves a model.

        Raises:
            ConfigurationError: none does in this deployment.
        """
        provider = self.any_model(model)
        if not isinstance(provider, ModelProvider):
            raise ConfigurationError(f"{model!r} is served by a decision model, which holds no conversation")
        return provider

    def any_model(self, model: str) -> ModelProvider | DecisionModel:
        """What serves a model, be it a chat or a decision model.

        Raises:
            ConfigurationError: nothing does in this deployment.
        """
        provider = provider_of(self._declarations.models, model)
        if provider is None:
            raise ConfigurationError(f"no model provider of this deployment serves {model!r}")
        return provider

    # --- reply interpreters ---

    @property
    def interpreters(self) -> tuple[InterpreterBinding, ...]:
        """Every reply interpreter of the application."""
        return tuple(self._declarations.interpreters.values())

    def interpreter(self, role: str) -> InterpreterBinding | None:
        """The interpreter that reads replies to a role; ``None`` where there is none."""
        return self._declarations.interpreters.get(role)

    def interpret(self, interpreter: InterpreterBinding) -> Callable[[Any], Any]:
        """The ``interpret`` of an interpreter by code, with its instance."""
        method: Callable[[Any], Any] = self._container.get(interpreter.component).interpret
        return method

    def instructions(self, interpreter: InterpreterBinding) -> str:
        """The prompt of an interpreter by model, with the fetched texts."""
        definition = interpreter.definition
        parts = [definition.prompt, *(self.prompt_texts[url] for url in definition.prompt_urls)]
        return "\n\n".join(part for part in parts if part)

    @property
    def observers(self) -> tuple[Observer, ...]:
        """The observers, with their instances."""
        return tuple(
            self._container.get(observer) if isinstance(observer, type) else observer
            for observer in self.declaration.observers
        )

    async def close(self) -> None:
        """Close what the container made, and the providers."""
        self._container.close()
        for provider in self.declaration.models:
            close = getattr(provider, "aclose", None)
            if close is not None:
                await close()
