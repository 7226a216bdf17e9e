"""Who calls, and what they may claim: checked before anything of the request is looked up."""

from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request

from agboss.ports.callers import Caller
from agboss.serving import Serving
from agboss.web.limits import Limits
from agboss.web.problems import RefusedError
from agboss.web.rate import Buckets
from agboss.web.secrets import secret_hash

_BEARER = HTTPBearer(auto_error=False, description="A caller's secret, made by `agboss secrets add`.")


class Web:
    """What the addresses share."""

    def __init__(self, serving: Serving, limits: Limits) -> None:
        self.serving = serving
        self.limits = limits
        self.buckets = Buckets(per_second=limits.per_second, burst=limits.burst)


def web_of(request: Request) -> Web:
    """The application's ``Web``."""
    web: Web = request.app.state.web
    return web


async def admitted(
    request: Request, tenant: str, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]
) -> Caller:
    """The caller, known by its secret, within its rate, for a tenant of its own.

    Raises:
        RefusedError: 401, 429 or 403, in this order.
    """
    web = web_of(request)
    caller = None
    if credentials is not None:
        caller = await web.serving.callers.by_secret_hash(secret_hash(credentials.credentials))
    if caller is None:
        raise RefusedError("caller.unknown")
    request.state.caller = caller.name
    if wait := web.buckets.take(caller.name):
        raise RefusedError("http.too-many-requests", retry_after=wait)
    if not caller.acts_for(tenant):
        raise RefusedError("caller.tenant")
    return caller


Admitted = Annotated[Caller, Depends(admitted)]


def check_claims(caller: Caller, *, name: str | None = None, owner: str | None = None) -> None:
    """Who a request says it is from must be somebody the caller may speak for (F08).

    Raises:
        RefusedError: 403.
    """
    if owner is not None and not caller.may_claim(owner):
        raise RefusedError("caller.owner")
    if name is not None and not caller.may_answer_as(name):
        raise RefusedError("caller.answers-as")


def check_starts(caller: Caller) -> None:
    """Starting and cancelling is a right of its own.

    Raises:
        RefusedError: 403.
    """
    if not caller.starts:
        raise RefusedError("caller.starts")
