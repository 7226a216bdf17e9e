"""The assembly rules of reply interpreters."""

from dataclasses import dataclass
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import Any

from agboss.assembly.problems import Problems
from agboss.declare.channel import ChannelRoleDefinition
from agboss.declare.definitions import definition_of
from agboss.declare.interpreter import ReplyInterpreterDefinition
from agboss.domain.replies import DecidedBy
from agboss.ports.decision_models import DecisionModel
from agboss.ports.models import ModelProvider

AnyModel = ModelProvider | DecisionModel
_LONGEST_TIMEOUT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class InterpreterBinding:
    """A checked interpreter, with the role it reads for."""

    component: type[Any]
    definition: ReplyInterpreterDefinition
    role: ChannelRoleDefinition


def provider_of(models: "tuple[AnyModel, ...]", model: str) -> AnyModel | None:
    """The first of the application's models that serves this one."""
    for provider in models:
        if any(fnmatchcase(model, pattern) for pattern in provider.serves):
            return provider
    return None


def check_interpreter(
    problems: Problems, role_class: type[Any], role: ChannelRoleDefinition, models: tuple[AnyModel, ...]
) -> InterpreterBinding | None:
    """The interpreter that a role names; ``None`` where it is none."""
    component: Any = role.reply_interpreter
    definition = definition_of(component, ReplyInterpreterDefinition)
    if definition is None:
        told = getattr(component, "__name__", component)
        text = f"reply_interpreter={told} is not declared with @reply_interpreter"
        problems.add("reply-interpreter.not-an-interpreter", role_class, text)
        return None
    problems.check_name(component, definition.name, suffix="-reply-interpreter")
    if not timedelta(0) < definition.timeout <= _LONGEST_TIMEOUT:
        text = f"timeout must be above zero and at most an hour, it is {definition.timeout}"
        problems.add("limit.invalid", component, text)
    if definition.decided_by is DecidedBy.CODE:
        _check_code(problems, component, definition)
    else:
        _check_model(problems, component, definition, role, models)
    return InterpreterBinding(component, definition, role)


def _check_code(problems: Problems, component: type[Any], definition: ReplyInterpreterDefinition) -> None:
    if not callable(getattr(component, "interpret", None)):
        text = "decided_by=DecidedBy.CODE needs a method interpret(self, input)"
        problems.add("reply-interpreter.no-interpret-method", component, text)
    if definition.model is not None or definition.prompt or definition.prompt_urls:
        text = "code has no model=, prompt= or prompt_urls=: leave them out, or say decided_by=DecidedBy.MODEL"
        problems.add("reply-interpreter.code-with-model", component, text)


def _check_model(
    problems: Problems,
    component: type[Any],
    definition: ReplyInterpreterDefinition,
    role: ChannelRoleDefinition,
    models: tuple[AnyModel, ...],
) -> None:
    if definition.model is None:
        problems.add("reply-interpreter.no-model", component, "decided_by=DecidedBy.MODEL needs model=")
    elif provider_of(models, definition.model) is None:
        text = f"{definition.name}: no provider in models= serves {definition.model!r}"
        problems.add("model.unserved", component, text)
    elif role.answer is not None and not isinstance(provider_of(models, definition.model), ModelProvider):
        text = (
            f"{role.name} is answered with {role.answer.__name__}, and the decision model {definition.model!r} says yes or no "
            "alone: name a chat model, or decide by code"
        )
        problems.add("reply-interpreter.decision-model", component, text)
    for url in definition.prompt_urls:
        if not url.startswith(("https://", "http://")):
            problems.add("reply-interpreter.prompt-url", component, "prompt_urls= takes http:// and https:// addresses")
