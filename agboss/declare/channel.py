"""Channels: whom a gated tool asks. A role says what is approved and by whom; a channel says how it is asked."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from pydantic import BaseModel

from agboss.declare.definitions import attach
from agboss.domain.asks import ChannelAnswered, ChannelAsk, ChannelWithdrawal
from agboss.domain.outcomes import ChannelOutcome
from agboss.domain.pauses import PauseAnswerer

Dto = TypeVar("Dto")
Decorated = TypeVar("Decorated", bound=type[Any])


class ChannelOf(ABC, Generic[Dto]):
    """Base of channels; ``Dto`` is the input of the tools that ask it."""

    @abstractmethod
    async def send(self, ask: ChannelAsk[Dto]) -> ChannelOutcome:
        """Put the question to someone, keyed by ``ask.pause_id``, and return ``ChannelOutcome.await_reply()``; or decide at
        once with ``ChannelOutcome.decided(…)``.

        It may be called again with the same id after a lost worker. What it raises fails the agent's step.
        """

    async def withdraw(self, withdrawal: ChannelWithdrawal[Dto]) -> None:
        """Take the question back: it closed without an answer. Does nothing unless overridden (S217)."""
        return

    async def answered(self, answered: ChannelAnswered[Dto]) -> None:
        """The question was answered, here or elsewhere: take its buttons away. Does nothing unless overridden.

        Told once, best effort: what it raises is one warning, ``channel.answered-failed``. Never told where this channel
        decided at once. After a crash it may be told again, with the same id.
        """
        return


@dataclass(frozen=True, slots=True)
class ChannelRoleDefinition:
    """What ``@channel_role`` attaches."""

    name: str
    description: str
    approves: type[BaseModel] | None
    answered_by: PauseAnswerer | None
    """``None`` is an assembly problem: there is no default, so that nobody lets customers approve their own refunds."""
    four_eyes: bool
    reply_interpreter: type[Any] | None = None
    asks: type[BaseModel] | None = None
    answer: type[BaseModel] | None = None
    """Of a question role, in the place of ``approves``."""


@dataclass(frozen=True, slots=True)
class ChannelDefinition:
    """What ``@channel`` attaches."""

    name: str
    description: str
    environments: tuple[str, ...] = ()
    """Where it takes part; none: everywhere."""


@overload
def channel_role(
    *,
    name: str,
    description: str,
    approves: type[BaseModel],
    answered_by: PauseAnswerer,
    four_eyes: bool = False,
    reply_interpreter: type[Any] | None = None,
) -> Callable[[Decorated], Decorated]: ...


@overload
def channel_role(
    *,
    name: str,
    description: str,
    asks: type[BaseModel],
    answer: type[BaseModel],
    answered_by: PauseAnswerer,
    four_eyes: bool = False,
    reply_interpreter: type[Any] | None = None,
) -> Callable[[Decorated], Decorated]: ...


def channel_role(
    *,
    name: str,
    description: str,
    approves: type[BaseModel] | None = None,
    asks: type[BaseModel] | None = None,
    answer: type[BaseModel] | None = None,
    answered_by: PauseAnswerer,
    four_eyes: bool = False,
    reply_interpreter: type[Any] | None = None,
) -> Callable[[Decorated], Decorated]:
    """Declare a role that the application's channels fill: one that ``approves`` calls, or one that ``asks`` a question and
    gets an ``answer`` (R19).

    Args:
        name: ends in ``-channel``.
        description: for people.
        approves: the input of the tools that ask this role.
        asks: the input of the tools that ask it; such a tool has no ``run``.
        answer: what answers the question, and is the tool's result.
        answered_by: who may answer; required.
        four_eyes: refuse an answer by the thread's own owner (R30).
        reply_interpreter: reads answers in free text; it belongs to this role alone.
    """

    def declare(target: Decorated) -> Decorated:
        attach(
            target,
            ChannelRoleDefinition(
                name=name,
                description=description,
                approves=approves,
                answered_by=answered_by,
                four_eyes=four_eyes,
                reply_interpreter=reply_interpreter,
                asks=asks,
                answer=answer,
            ),
        )
        return target

    return declare


def channel(*, name: str, description: str, environments: Sequence[str] = ()) -> Callable[[Decorated], Decorated]:
    """Declare a channel: of a role if it derives from the role's class, else one that tools name as it is and that the
    thread's owner answers (S141).

    Args:
        name: ends in ``-channel``.
        description: for people.
        environments: it takes part only where the application runs in one of these (S260); none: everywhere.
    """
    if isinstance(environments, str):
        raise TypeError(f"environments= takes several names: environments=({environments!r},)")

    def declare(target: Decorated) -> Decorated:
        attach(target, ChannelDefinition(name=name, description=description, environments=tuple(environments)))
        return target

    return declare
