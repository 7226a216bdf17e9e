"""What a request must be like before the facade does anything: its shape, its names, who answers (R01)."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from agboss.assembly.bindings import CompiledFlow
from agboss.assembly.validation import problems_of
from agboss.domain.pauses import PauseAnswerer
from agboss.domain.replies import MAX_REPLY
from agboss.domain.text import MAX_NAME, name, one_line
from agboss.errors import DtoValidationError, FourEyesError, PauseAnswererError, ThreadOwnerError
from agboss.ports.pause_index import PauseRecord, Responder


def named(what: str, value: object) -> str:
    """A tenant's, thread's, owner's or operator's name, unchanged.

    Raises:
        DtoValidationError: it is blank, too long, over two lines, or no text.
    """
    if not isinstance(value, str):
        raise DtoValidationError(f"{what}: a text is needed, got a {type(value).__name__}", problems=[f"{what}: no text"])
    try:
        return name(value)
    except ValueError as error:
        raise DtoValidationError(f"{what}: {error}", problems=[f"{what}: {error}"]) from None


def started_with(flow: CompiledFlow, input: BaseModel | Mapping[str, Any]) -> dict[str, Any]:
    """A flow's start as JSON data.

    Raises:
        DtoValidationError: the input is no start of this flow.
    """
    given = input.model_dump() if isinstance(input, BaseModel) and not isinstance(input, flow.start_model) else input
    try:
        plain: dict[str, Any] = flow.start_model.model_validate(given).model_dump(mode="json")
    except ValidationError as error:
        problems = problems_of(error, whole="input")
        raise DtoValidationError(
            f"the input is no {flow.start_model.__name__}: {'; '.join(problems)}", problems=problems
        ) from None
    return plain


def plain_fields(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """The project's own fields as JSON data.

    Raises:
        DtoValidationError: they are none.
    """
    try:
        plain: dict[str, Any] = TypeAdapter(dict[str, Any]).dump_python(dict(fields or {}), mode="json")
    except ValueError as error:
        raise DtoValidationError(f"fields: only plain JSON data is allowed ({type(error).__name__})") from None
    return plain


def check_request(decision: object, reply: object) -> None:
    """Exactly one of decision and reply, and no blank reply, before any look-up (S066, S067).

    Raises:
        DtoValidationError: otherwise.
    """
    if (decision is None) == (reply is None):
        raise DtoValidationError("give exactly one of decision and reply", problems=["decision, reply: exactly one"])
    if reply is not None and (not isinstance(reply, str) or not reply.strip()):
        raise DtoValidationError("reply: a non-blank text is needed", problems=["reply: blank"])
    if isinstance(reply, str) and len(reply) > MAX_REPLY:
        told = f"reply: at most {MAX_REPLY:,} characters are allowed, got {len(reply):,}"
        raise DtoValidationError(told, problems=[told])


def responder_of(owner_id: str | None, answered_by: str | None) -> Responder:
    """Exactly one credential, before any look-up (R02, S140).

    Raises:
        PauseAnswererError: both, neither, or a blank one.
        DtoValidationError: the name is too long or over two lines.
    """
    if (owner_id is None) == (answered_by is None):
        raise PauseAnswererError("give exactly one of owner_id (the thread's owner) and answered_by (the channel's side)")
    given = owner_id if owner_id is not None else answered_by
    if not isinstance(given, str) or not given.strip():
        raise PauseAnswererError("who answers must be named: owner_id or answered_by is blank")
    try:
        one_line(given, maximum=MAX_NAME)
    except ValueError as error:
        what = "owner_id" if owner_id is not None else "answered_by"
        raise DtoValidationError(f"{what}: {error}", problems=[f"{what}: {error}"]) from None
    answerer = PauseAnswerer.THREAD_OWNER if owner_id is not None else PauseAnswerer.CHANNEL
    return Responder(answerer=answerer, name=given)


def check_credential(pause: PauseRecord, responder: Responder) -> None:
    """Whether this responder may answer this pause (S126–S139, R30).

    Raises:
        PauseAnswererError, ThreadOwnerError, FourEyesError: it may not; the pause keeps waiting.
    """
    if pause.answered_by is not responder.answerer:
        wanted = "answered_by" if pause.answered_by is PauseAnswerer.CHANNEL else "the thread's owner_id"
        raise PauseAnswererError(f"a pause of channel {pause.channel!r} is answered with {wanted}", channel=pause.channel)
    if responder.answerer is PauseAnswerer.THREAD_OWNER and responder.name != pause.owner:
        raise ThreadOwnerError
    if pause.four_eyes and responder.name == pause.owner:
        raise FourEyesError(
            f"channel {pause.channel!r} wants two people: the thread's owner may not answer", channel=pause.channel
        )
