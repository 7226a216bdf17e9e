"""What an OpenAI-compatible endpoint's failures mean: worth another try, or not, and what to do about it."""

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from agboss.domain.sensitive import MASK
from agboss.errors import ModelError, ModelRejectedError, ModelUnavailableError

LONGEST_WISH = 600.0
"""Seconds. A model turn is tried for an hour: an endpoint that wishes to be left alone for longer would end it unasked."""
LONGEST_EXCERPT = 300
"""Characters of an endpoint's own words in our messages."""
_BUSY = frozenset({408, 409, 429})
"""Statuses below 500 that time may mend."""
_REMEDIES = {
    400: "it does not accept the request: look at the agent's tools and at what the model can do",
    401: "it does not accept the API key: set OPENAI_API_KEY, or api_key=, to a valid one",
    402: "the account can't pay for it",
    403: "the API key may not use this model, or the content is refused",
    404: "it does not have this model, or the base URL is wrong: check the agent's model and OPENAI_BASE_URL",
    413: "the request is too large: shorten the conversation or the tools' results",
    422: "it does not accept the request: look at the agent's tools and at what the model can do",
}


def status_error(
    where: str, status: int, headers: Mapping[str, str], body: object, *, secrets: tuple[str, ...]
) -> ModelError:
    """The error for an HTTP status that is no success.

    Args:
        where: the model and the endpoint, for the message.
        body: decoded JSON, or text.
        secrets: texts the message must not have, though the endpoint repeats them.
    """
    words = excerpt(body, secrets=secrets)
    said = f"; it says: {words}" if words else ""
    if status in _BUSY or status >= 500:
        return ModelUnavailableError(f"{where} is not available now (HTTP {status}){said}", retry_after=retry_after(headers))
    remedy = _REMEDIES.get(status, "another try won't help")
    return ModelRejectedError(f"{where} refuses (HTTP {status}): {remedy}{said}")


def excerpt(body: object, *, secrets: tuple[str, ...]) -> str:
    """An endpoint's words in one line of bounded length, without secrets."""
    line = " ".join("".join(c if c.isprintable() else " " for c in _words(body)).split())
    # Before it is cut: a secret's first half would pass otherwise.
    for secret in secrets:
        line = line.replace(secret, MASK)
    if len(line) > LONGEST_EXCERPT:
        line = line[: LONGEST_EXCERPT - 1] + "…"
    return line


def _words(body: object) -> str:
    """The message in the shapes that endpoints use: ``{"error": {"message": …}}``, the inner part alone, or anything."""
    if isinstance(body, Mapping):
        for name in ("error", "message", "detail"):
            if body.get(name):
                return _words(body[name])
    if body is None or isinstance(body, str):
        return body or ""
    return json.dumps(body, ensure_ascii=False, default=repr)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the endpoint wishes to be left alone, at most ``LONGEST_WISH``.

    ``None``: it has no wish, or one that is over or makes no sense; Temporal's own back-off is right then.
    """
    given = {name.lower(): value for name, value in headers.items()}
    wish = _number(given.get("retry-after-ms"), unit=0.001)
    if wish is None:
        wish = _number(given.get("retry-after"), unit=1.0)
    if wish is None:
        wish = _until(given.get("retry-after"))
    return None if wish is None or wish <= 0 else min(wish, LONGEST_WISH)


def _number(value: Any, *, unit: float) -> float | None:
    try:
        number = float(value) * unit
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _until(date: str | None) -> float | None:
    try:
        moment = parsedate_to_datetime(date or "")
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()
