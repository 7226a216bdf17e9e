"""Reply interpreters: what turns a person's free text into a role's answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from agboss.declare.definitions import attach
from agboss.domain.replies import DecidedBy

Decorated = TypeVar("Decorated", bound=type[Any])


@dataclass(frozen=True, slots=True)
class ReplyInterpreterDefinition:
    """What ``@reply_interpreter`` attaches."""

    name: str
    description: str
    decided_by: DecidedBy
    model: str | None
    prompt: str
    prompt_urls: tuple[str, ...]
    timeout: timedelta


def reply_interpreter(
    *,
    name: str,
    description: str,
    decided_by: DecidedBy,
    model: str | None = None,
    prompt: str = "",
    prompt_urls: Sequence[str] = (),
    timeout: timedelta = timedelta(seconds=60),
) -> Callable[[Decorated], Decorated]:
    """Declare a reply interpreter; one belongs to one channel role (S115).

    With ``DecidedBy.CODE`` the class has ``interpret(self, input: ReplyInput[…]) -> ReplyInterpretation[…]``, plain or async.

    Args:
        name: ends in ``-reply-interpreter``.
        description: for people.
        decided_by: a model, or the class's own code.
        model: of ``DecidedBy.MODEL``: a chat model's name or a decision model's; the provider whose patterns match serves it.
        prompt: of ``DecidedBy.MODEL``: its instructions.
        prompt_urls: texts added to the instructions; a worker fetches them once, when it starts.
        timeout: of one attempt to read a reply.
    """

    def declare(target: Decorated) -> Decorated:
        definition = ReplyInterpreterDefinition(
            name=name,
            description=description,
            decided_by=decided_by,
            model=model,
            prompt=prompt,
            prompt_urls=tuple(prompt_urls),
            timeout=timeout,
        )
        attach(target, definition)
        return target

    return declare
