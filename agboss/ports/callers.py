"""Who may call over HTTP, and what was answered to whom: kept beside the pause index, in the same transactions.

Every method is one transaction, durable before it returns, and may raise ``IndexUnavailableError`` (try again),
``IndexMissingError`` or ``IndexSchemaError``. Times come from the clock that the index is made with.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

ANY = "*"
"""Among tenants or owners: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One program that may call, and for whom it may speak. Its secret is known to nobody but it."""

    name: str
    tenants: tuple[str, ...]
    """It acts for these; ``*`` for all."""
    answers_as: tuple[str, ...] = ()
    """Whom it may name in ``answered_by`` and ``cancelled_by``: a name, or a prefix that ends in a colon, like ``slack:``."""
    owners: tuple[str, ...] = ()
    """Whose claims as a thread's owner it may make; ``*`` for any."""
    starts: bool = False
    """Whether it may start and cancel executions."""

    def acts_for(self, tenant: str) -> bool:
        """Whether the tenant is one of its own."""
        return ANY in self.tenants or tenant in self.tenants

    def may_answer_as(self, name: str) -> bool:
        """Whether it may say that this person answered."""
        return any(name.startswith(own) and name != own if own.endswith(":") else name == own for own in self.answers_as)

    def may_claim(self, owner: str) -> bool:
        """Whether it may act as this owner."""
        return ANY in self.owners or owner in self.owners


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResponse:
    """What was answered to a request with an idempotency key."""

    digest: str
    """Of the request."""
    status: int | None
    """``None``: it is still under way."""
    body: Any


class CallerRegistry(Protocol):
    """The callers there are."""

    async def add(self, caller: Caller, secret_hash: str) -> None:
        """Let a caller in who has the secret of this hash.

        Raises:
            DtoValidationError: there is one of that name.
        """
        ...

    async def list(self) -> tuple[Caller, ...]:
        """All callers, by name."""
        ...

    async def revoke(self, name: str) -> bool:
        """Never let a caller in again, and forget what was answered to it. False: there is none of that name."""
        ...

    async def by_secret_hash(self, secret_hash: str) -> Caller | None:
        """Who has the secret of this hash."""
        ...


class ResponseStore(Protocol):
    """Responses by caller and idempotency key, until their time is over."""

    async def claim(self, caller: str, key: str, *, digest: str, until: datetime) -> KeptResponse | None:
        """``None``: the key is this request's now, and nobody else's until then. Otherwise what stands under it."""
        ...

    async def remember(self, caller: str, key: str, *, status: int, body: Any, until: datetime) -> None:
        """Keep the response to a claimed key, or replace it; nothing where the key isn't claimed any more."""
        ...

    async def forget(self, caller: str, key: str) -> None:
        """Give a key back: nothing was done, so that the request may be tried again with it."""
        ...


class Callers(CallerRegistry, ResponseStore, Protocol):
    """Both, in one store."""

    async def close(self) -> None:
        """Release what was opened for this alone. Idempotent."""
        ...
