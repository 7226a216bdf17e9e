"""An application: which workflows, channels, models and services belong together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, TypeVar

from agboss.declare.observer import Observer
from agboss.ports.decision_models import DecisionModel
from agboss.ports.models import ModelProvider


@dataclass(frozen=True, slots=True)
class Provide:
    """A service under an interface of its own: ``provide(Clock, make_clock)``."""

    interface: type[Any]
    factory: Callable[..., Any]


def provide(interface: type[Any], factory: Callable[..., Any]) -> Provide:
    """``factory`` makes what is injected for ``interface``: a class, or a function whose parameters are injected too."""
    return Provide(interface, factory)


@dataclass(frozen=True, kw_only=True)
class ApplicationDeclaration:
    """The declarations of an application. Nothing is checked, made or connected before it is assembled."""

    name: str
    """Prefix of its Temporal workflow ids, and its task queue unless the settings say otherwise."""
    workflows: Sequence[type[Any]]
    channels: Sequence[type[Any]] = ()
    """Implementations of roles; concrete channels that tools name needn't be listed. A role that several fill asks all of
    them, and the first answer wins."""
    models: Sequence[ModelProvider | DecisionModel] = ()
    """The first whose patterns match an agent's or a reply interpreter's model serves it; agents have chat models alone."""
    services: Sequence[Any] = ()
    """What constructors are injected with: classes, instances, or ``provide(Interface, factory)``."""
    observers: Sequence[Observer | type[Observer]] = ()
    pause_record_retention: timedelta = timedelta(hours=24)
    """How long a resolved pause's record is kept; its entry in the history is permanent."""
    default_tenant: str = "default"
    environment: str | None = None
    """Where it runs: of the channels that name ``environments`` only those of this one take part. The setting ``environment``
    (``AGBOSS_ENVIRONMENT``) overrules it."""
    environments: Sequence[str] = ()
    """All there are: with them, a name that is none of these is an assembly problem."""
    digest_thread_ids: bool = False
    """Show Temporal a digest in place of thread ids, where those are personal data."""


Declared = TypeVar("Declared", bound=ApplicationDeclaration)


def in_environment(declaration: Declared, environment: str | None) -> Declared:
    """The same application in another environment; ``None`` leaves it where it is."""
    return declaration if environment is None else replace(declaration, environment=environment)
