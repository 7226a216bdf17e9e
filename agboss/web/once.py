"""Idempotency keys: one request under one key is done once, and responded to with the same response."""

import hashlib
import logging
import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request

from agboss.errors import AgbossError, DtoValidationError, PauseIndexError
from agboss.ports.callers import Caller
from agboss.serving import Serving
from agboss.web.limits import CLAIM, KEPT
from agboss.web.problems import Outcome, RefusedError, problem_of

Keep = Callable[[Outcome], Awaitable[None]]
"""Keeps an outcome that stands, whatever becomes of the wait for a better one."""
_KEY = re.compile(r"[!-~]{1,200}")
_log = logging.getLogger("agboss.web")


async def once(
    serving: Serving, caller: Caller, request: Request, raw: bytes, work: Callable[[Keep], Awaitable[Outcome]]
) -> Outcome:
    """The outcome of ``work``, or the one that stands under the request's key."""
    key = request.headers.get("idempotency-key")
    if key is None:
        return await _done(work, _nowhere)
    if not _KEY.fullmatch(key):
        told = "Idempotency-Key: 1 to 200 visible ASCII characters are needed"
        raise DtoValidationError(told, problems=[told])
    digest = _digest(request, raw)
    callers, now = serving.callers, serving.clock.now
    stands = await callers.claim(caller.name, key, digest=digest, until=now() + CLAIM)
    if stands is not None:
        if stands.digest != digest:
            raise RefusedError("http.key-reused")
        if stands.status is None:
            raise RefusedError("http.key-in-use")
        return Outcome(stands.status, stands.body, {"Idempotent-Replayed": "true"})
    kept = False

    async def keep(outcome: Outcome) -> None:
        nonlocal kept
        kept = True
        try:
            await callers.remember(caller.name, key, status=outcome.status, body=dict(outcome.document), until=now() + KEPT)
        except PauseIndexError as error:
            # What was done is done: the caller is told so, and a repeated answer is known without its key.
            _log.warning("a response could not be kept under its idempotency key: %s", error)

    outcome = await _done(work, keep)
    if outcome.status != 503:
        await keep(outcome)
    elif not kept:
        await _given_back(serving, caller, key)
    return outcome


def request_id(caller: Caller, request: Request) -> str | None:
    """What names this request everywhere: a digest of the caller and the idempotency key. ``None``: it has no key."""
    key = request.headers.get("idempotency-key")
    return None if key is None else _digest_of(caller.name.encode(), key.encode())


async def _done(work: Callable[[Keep], Awaitable[Outcome]], keep: Keep) -> Outcome:
    try:
        return await work(keep)
    except AgbossError as error:
        outcome = problem_of(error)
        if outcome.status == 500:
            _log.error("a request failed: %s", error.code, exc_info=error)
        return outcome


async def _nowhere(outcome: Outcome) -> None:
    return None


async def _given_back(serving: Serving, caller: Caller, key: str) -> None:
    try:
        await serving.callers.forget(caller.name, key)
    except PauseIndexError as error:
        # It is free again once its claim is over.
        _log.warning("an idempotency key could not be given back: %s", error)


def _digest(request: Request, raw: bytes) -> str:
    """Of all that makes it this request."""
    return _digest_of(request.method.encode(), request.scope["path"].encode("utf-8", "surrogatepass"), raw)


def _digest_of(*parts: bytes) -> str:
    """Parts can't run into each other."""
    made = hashlib.sha256()
    for part in parts:
        made.update(len(part).to_bytes(8, "big") + part)
    return made.hexdigest()
