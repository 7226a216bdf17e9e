"""Callers over HTTP, and the responses they were given under their idempotency keys."""

from typing import Any

from agboss.errors import DtoValidationError
from agboss.ports.callers import Caller, KeptResponse
from agboss.stores.rows import CallerRow, ResponseRow, Where, equals
from agboss.stores.transactions.unit import Unit, from_json, to_json

_REMOVED_AT_ONCE = 20
"""Responses whose time is over, removed by each new claim: more go than come."""


def add(unit: Unit, caller: Caller, secret_hash: str) -> None:
    """Let a caller in."""
    if unit.rows.select(CallerRow, equals(name=caller.name), limit=1):
        told = f"there is a caller {caller.name!r}; revoke it first, or use another name"
        raise DtoValidationError(told, problems=["name: taken"])
    unit.rows.insert(
        CallerRow(
            secret_hash=secret_hash,
            name=caller.name,
            tenants=to_json(caller.tenants),
            answers_as=to_json(caller.answers_as),
            owners=to_json(caller.owners),
            starts=caller.starts,
            added_at=unit.now,
        )
    )


def listed(unit: Unit) -> tuple[Caller, ...]:
    """All callers, by name."""
    return tuple(_caller(row) for row in unit.rows.select(CallerRow, (), order=("name",)))


def revoke(unit: Unit, name: str) -> bool:
    """Never let a caller in again."""
    found = unit.rows.select(CallerRow, equals(name=name), limit=1)
    if not found:
        return False
    unit.rows.delete(found[0])
    for response in unit.rows.select(ResponseRow, equals(caller=name)):
        unit.rows.delete(response)
    return True


def by_secret_hash(unit: Unit, secret_hash: str) -> Caller | None:
    """Who has the secret of this hash."""
    row = unit.rows.get(CallerRow, secret_hash)
    return None if row is None else _caller(row)


def claim(unit: Unit, caller: str, token: str, digest: str, until: int) -> KeptResponse | None:
    """Take a key, or give what stands under it."""
    for old in unit.rows.select(ResponseRow, (Where("until", "<=", unit.now),), order=("until",), limit=_REMOVED_AT_ONCE):
        unit.rows.delete(old)
    row = unit.rows.get(ResponseRow, caller, token)
    if row is not None and row.until > unit.now:
        return KeptResponse(digest=row.digest, status=row.http_status, body=from_json(row.body))
    if row is not None:
        unit.rows.delete(row)
    unit.rows.insert(ResponseRow(caller=caller, token=token, digest=digest, until=until))
    return None


def remember(unit: Unit, caller: str, token: str, status: int, body: Any, until: int) -> None:
    """Keep the response to a claimed key."""
    row = unit.rows.get(ResponseRow, caller, token)
    if row is not None:
        row.http_status, row.body, row.until = status, to_json(body), until
        unit.rows.update(row)


def forget(unit: Unit, caller: str, token: str) -> None:
    """Give a key back."""
    row = unit.rows.get(ResponseRow, caller, token)
    if row is not None:
        unit.rows.delete(row)


def _caller(row: CallerRow) -> Caller:
    return Caller(
        name=row.name,
        tenants=tuple(from_json(row.tenants)),
        answers_as=tuple(from_json(row.answers_as)),
        owners=tuple(from_json(row.owners)),
        starts=row.starts,
    )
