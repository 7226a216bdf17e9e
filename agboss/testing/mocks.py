"""Doubles of an application's own tools, channels and reply interpreters by code, for the tests of those who write them.

    doubled = mocked(office, SlackRefundApprovalChannel)
    slack = mock_of(doubled, SlackRefundApprovalChannel)
    slack.send.return_value = ChannelOutcome.decided({"approved": True})
    async with doubled.worker(settings) as app:
        ...
    assert slack.withdraw.call_count == 1

A double is not made, so nothing that its constructor takes must be there; all else of its declaration holds.
"""

from collections import Counter
from dataclasses import replace
from typing import Any
from unittest.mock import NonCallableMagicMock, create_autospec

from agboss.app import App
from agboss.application import Application
from agboss.assembly.checks import Declarations
from agboss.assembly.container import interface_of
from agboss.declare.application import ApplicationDeclaration, Provide, provide
from agboss.declare.channel import ChannelDefinition
from agboss.declare.definitions import definition_of
from agboss.domain.outcomes import ChannelOutcome
from agboss.domain.replies import DecidedBy, ReplyInterpretation
from agboss.errors import ConfigurationError


def mocked(application: Application, *components: type[Any]) -> Application:
    """A copy of ``application`` with a recording double in place of each of these tools, channels and
    interpreters by code.

    The doubles have the components' own methods, checked against their signatures: an ``AsyncMock`` for an async one, a
    ``MagicMock`` for a plain one. Until told otherwise ``send`` awaits the reply, and ``withdraw``, ``answered`` and
    ``run`` return ``None``. Whoever is injected with a component, its role or any other base of it gets its double, also where ``services``
    has something else for that type; a base that two of the doubles share is left as it is.

    Raises:
        ConfigurationError: the application has no such tool or channel.
    """
    declarations = Declarations(application)
    known = {tool.component for tool in declarations.tools.values()}
    known |= {channel.component for channel in declarations.channels.values()}
    known |= {one.component for one in declarations.interpreters.values() if one.definition.decided_by is DecidedBy.CODE}
    for component in components:
        if component not in known:
            there = ", ".join(sorted(kind.__name__ for kind in known))
            raise ConfigurationError(f"application {application.name!r} has no {component.__name__}; it has: {there}")
    doubles = {component: _double(component) for component in components}
    shared = Counter(kind for component in doubles for kind in _bases(component))
    offered = {kind: double for component, double in doubles.items() for kind in _bases(component) if shared[kind] == 1}
    offered |= doubles
    kept = [service for service in application.services if interface_of(service) not in offered]
    return replace(application, services=[*kept, *(provide(kind, _Always(double)) for kind, double in offered.items())])


def mock_of(application: ApplicationDeclaration | App, component: type[Any]) -> NonCallableMagicMock:
    """The double that ``mocked`` put in place of ``component``, or of what ``component`` is a role or base of.

    Args:
        application: what ``mocked`` gave, or the facade of it.
        component: the class that was mocked.

    Raises:
        ConfigurationError: there is none.
    """
    if isinstance(application, App):
        application = application._assembled.declaration
    for service in application.services:
        if isinstance(service, Provide) and service.interface is component and isinstance(service.factory, _Always):
            return service.factory.double
    raise ConfigurationError(f"{component.__name__} has no double in application {application.name!r}: use mocked(…) first")


class _Always:
    """A factory that makes nothing."""

    def __init__(self, double: NonCallableMagicMock) -> None:
        self.double = double

    def __call__(self) -> Any:
        return self.double


def _double(component: type[Any]) -> NonCallableMagicMock:
    double: NonCallableMagicMock = create_autospec(component, instance=True)
    if definition_of(component, ChannelDefinition) is not None:
        double.send.return_value = ChannelOutcome.await_reply()
    if hasattr(double, "interpret"):
        double.interpret.return_value = ReplyInterpretation.not_understood(reason="the double was not told what it says")
    for method in ("withdraw", "answered", "run"):
        if hasattr(double, method):
            getattr(double, method).return_value = None
    return double


def _bases(component: type[Any]) -> set[Any]:
    """What a parameter may be typed with to mean ``component``: its bases, plain or with their own type arguments."""
    generic = {base for kind in component.__mro__ for base in kind.__dict__.get("__orig_bases__", ())}
    return {base for base in {*component.__mro__[1:], *generic} if getattr(base, "__module__", "") not in _NOBODYS}


_NOBODYS = ("builtins", "abc", "typing")
