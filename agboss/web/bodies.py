"""Reading a body: JSON, in UTF-8, not too large, not too deep, every name once, nothing but what the address knows."""

import json
import math
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request

from agboss.errors import DtoValidationError
from agboss.web.limits import DEEPEST
from agboss.web.problems import RefusedError


class Body(BaseModel):
    """Base of all bodies: types as they are, no field more."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


AnyBody = TypeVar("AnyBody", bound=Body)


async def read_body(request: Request, kind: type[AnyBody], *, most: int) -> tuple[AnyBody, bytes]:
    """The body, and its bytes as they came.

    Raises:
        RefusedError: it is no JSON by its header, or too large.
        DtoValidationError: it is not valid.
    """
    media, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    coding = request.headers.get("content-encoding", "identity").lower()
    if media.strip().lower() != "application/json" or charset not in ("", "utf-8") or coding != "identity":
        raise RefusedError("http.media-type")
    raw = await _read(request, most)
    try:
        return kind.model_validate(_parsed(raw)), raw
    except ValidationError as error:
        problems = list(problems_of(error.errors(include_input=False, include_url=False, include_context=False)))
        raise DtoValidationError("the body is not valid", problems=problems) from None


def problems_of(lines: Iterable[Any], *, whole: str = "body") -> Iterable[str]:
    """One line a fault. Names that aren't ours are values of whoever sent them."""
    for line in lines:
        unknown = line["type"] == "extra_forbidden"
        place = ".".join(map(str, line["loc"][:-1] if unknown else line["loc"])) or whole
        yield f"{place}: {'an unknown field' if unknown else line['msg']}"


async def _read(request: Request, most: int) -> bytes:
    told = request.headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > most:
        raise RefusedError("http.body-too-large")
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise RefusedError("http.body-too-large")
        parts.append(part)
    return b"".join(parts)


def _parsed(raw: bytes) -> Any:
    try:
        text = raw.decode("utf-8")
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_once)
        _check(value)
    except (ValueError, RecursionError):
        told = "body: no JSON, or a name twice, or a number or text that can't be kept, or too deep"
        raise DtoValidationError(told, problems=[told]) from None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError
    return made


def _check(value: Any) -> None:
    """Depth, and half surrogate pairs, which no database keeps. Without recursion: that is what it guards."""
    level = [value]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, str):
                one.encode("utf-8")
            elif isinstance(one, dict):
                inner += one.keys()
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        if not inner:
            return
        level = inner
    raise ValueError
