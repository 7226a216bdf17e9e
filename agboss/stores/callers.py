"""The callers of any store that can run a function in a transaction: in the index's own file, by its own writer."""

from datetime import datetime
from typing import Any

from agboss.ports.callers import Caller, KeptResponse
from agboss.stores.transactional import TransactionalIndex
from agboss.stores.transactions import callers
from agboss.stores.transactions.unit import micros


class StoredCallers:
    """See ``Callers``.

    Args:
        store: the index whose transactions are used.
        owned: close the index with this.
    """

    def __init__(self, store: TransactionalIndex, *, owned: bool = False) -> None:
        # Its own two ways to run a transaction: a second connection would be a second writer.
        self._write, self._read = store._write, store._read
        self._close = store.close if owned else None

    async def add(self, caller: Caller, secret_hash: str) -> None:
        await self._write(callers.add, caller, secret_hash)

    async def list(self) -> tuple[Caller, ...]:
        return await self._read(callers.listed)

    async def revoke(self, name: str) -> bool:
        return await self._write(callers.revoke, name)

    async def by_secret_hash(self, secret_hash: str) -> Caller | None:
        return await self._read(callers.by_secret_hash, secret_hash)

    async def claim(self, caller: str, key: str, *, digest: str, until: datetime) -> KeptResponse | None:
        return await self._write(callers.claim, caller, key, digest, micros(until))

    async def remember(self, caller: str, key: str, *, status: int, body: Any, until: datetime) -> None:
        await self._write(callers.remember, caller, key, status, body, micros(until))

    async def forget(self, caller: str, key: str) -> None:
        await self._write(callers.forget, caller, key)

    async def close(self) -> None:
        if self._close is not None:
            await self._close()
