"""Constructor injection by type: which parameters a component needs, and the container that makes it."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any, get_type_hints

from dishka import Container, Provider, Scope, make_container

from agboss.assembly.problems import Problems
from agboss.declare.application import Provide
from agboss.declare.context import ExecutionContext


def check_services(problems: Problems, components: list[type[Any]], services: list[Any]) -> None:
    """Every constructor parameter must be typed, and somebody must provide its type. A component that a service provides is
    not made, so its own parameters don't matter."""
    provided = {ExecutionContext} | {interface_of(service) for service in services}
    makers = [service.factory if isinstance(service, Provide) else service for service in services if _is_made(service)]
    for maker in [*(component for component in components if component not in provided), *makers]:
        for name, annotation in _parameters(maker):
            where = getattr(maker, "__name__", repr(maker))
            if annotation is None:
                problems.add("service.untyped", where, f"constructor parameter {name!r} has no type to inject by")
            elif annotation not in provided:
                told = getattr(annotation, "__name__", repr(annotation))
                problems.add("service.unknown", where, f"nobody provides {told!r} for {name!r}; list it in services=")


def with_defaults(components: list[type[Any]], services: list[Any]) -> list[Any]:
    """The services, and of each component's own ``default_services`` those that nobody else provides."""
    completed = list(services)
    provided = {interface_of(service) for service in completed}
    for component in components:
        for service in getattr(component, "default_services", ()):
            if interface_of(service) not in provided:
                provided.add(interface_of(service))
                completed.append(service)
    return completed


def container_of(components: list[type[Any]], services: list[Any]) -> Container:
    """A container that makes each component once, at its first use; one that a service provides comes from there."""
    provider = Provider(scope=Scope.APP)
    provided = {ExecutionContext} | {interface_of(service) for service in services}
    provider.provide(source=lambda: ExecutionContext(), provides=ExecutionContext)
    for service in services:
        if isinstance(service, Provide):
            provider.provide(source=_injected(service.factory, provided), provides=service.interface)
        elif isinstance(service, type):
            provider.provide(source=_injected(service, provided), provides=service)
        else:
            provider.provide(source=_always(service), provides=type(service))
    for component in dict.fromkeys(components):
        if component not in provided:
            provider.provide(source=_injected(component, provided), provides=component)
    return make_container(provider)


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value


def _is_made(service: Any) -> bool:
    return isinstance(service, type | Provide)


def interface_of(service: Any) -> type[Any]:
    """The type that a service is injected for."""
    if isinstance(service, Provide):
        return service.interface
    return service if isinstance(service, type) else type(service)


def _injected(maker: Any, provided: set[Any]) -> Any:
    """``maker`` with only those parameters that are injected: one with a default that nobody provides keeps its default."""
    wanted = [(name, hint) for name, hint, required in _all_parameters(maker) if required or hint in provided]
    if len(wanted) == len(_all_parameters(maker)):
        return maker

    def make(**injected: Any) -> Any:
        return maker(**injected)

    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint) for name, hint in wanted]
    make.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    make.__annotations__ = dict(wanted)
    return make


def _parameters(maker: Any) -> list[tuple[str, Any]]:
    return [(name, hint) for name, hint, required in _all_parameters(maker) if required]


def _all_parameters(maker: Any) -> list[tuple[str, Any, bool]]:
    """Name, type and whether it has no default, of each parameter that can be injected."""
    function = inspect.getattr_static(maker, "__init__") if isinstance(maker, type) else maker
    if function is object.__init__:
        return []
    hints: dict[str, Any] = {}
    with suppress(NameError, TypeError):
        hints = get_type_hints(function)
    return [
        (name, hints.get(name), parameter.default is parameter.empty)
        for name, parameter in inspect.signature(maker).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
