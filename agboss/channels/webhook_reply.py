"""What a receiver's response means: taken, perhaps with a decision; worth another try; or neither."""

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from agboss.errors import DtoValidationError, WebhookRejectedError

if TYPE_CHECKING:
    import httpx

LONGEST_BODY = 65_536
"""Bytes that are read of a response."""
LONGEST_WISH = 600.0
"""Seconds that a receiver may wish to be left alone."""
_BUSY = frozenset({408, 409, 425, 429})
"""Statuses below 500 that time may mend."""
_REMEDIES = {
    401: "it doesn't accept the signature: check that both sides have the same secret",
    403: "it doesn't accept the signature: check that both sides have the same secret",
    404: "there is no receiver at this URL",
    410: "it is gone for good",
}


@dataclass(frozen=True, slots=True)
class Taken:
    """The receiver has the event."""

    decision: Any = None
    """As it decided at once, not validated; ``None`` where it didn't."""


@dataclass(frozen=True, slots=True)
class Later:
    """Worth another try."""

    why: str
    retry_after: float | None = None
    """The receiver's wish, in seconds."""


async def reply_of(response: "httpx.Response", *, host: str) -> Taken | Later:
    """Read a response whose body isn't read yet. Nothing of what it says is repeated: it may repeat the pause's id.

    Raises:
        WebhookRejectedError: another try won't help.
        DtoValidationError: a 200 that can't be read to its end, so that nobody knows whether it decides.
    """
    status = response.status_code
    if status == 200:
        return Taken(_decision(await _body(response, host)))
    if response.is_success:
        return Taken()
    if status in _BUSY or status >= 500:
        return Later(f"HTTP {status}", _retry_after(response.headers.get("retry-after")))
    remedy = _REMEDIES.get(status, "another try won't help")
    if response.is_redirect:
        remedy = "redirects aren't followed: give the last URL"
    raise WebhookRejectedError(f"the webhook at {host} refuses (HTTP {status}): {remedy}", status=status)


async def _body(response: "httpx.Response", host: str) -> bytes:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise DtoValidationError(f"the webhook at {host} responds with a compressed body, which it wasn't asked for")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > LONGEST_BODY:
            raise DtoValidationError(f"the webhook at {host} responds with more than {LONGEST_BODY:,} bytes")
    return bytes(body)


def _decision(body: bytes) -> Any:
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return read.get("decision") if isinstance(read, dict) else None


def _retry_after(wish: str | None) -> float | None:
    """Seconds, given as such or as a date; ``None`` for none, and for one that makes no sense."""
    try:
        seconds = float(wish or "")
    except ValueError:
        seconds = _until(wish or "")
    return min(seconds, LONGEST_WISH) if math.isfinite(seconds) and seconds > 0 else None


def _until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()
