"""Large payloads travel by content hash; their bytes lie in the index's blobs."""

import asyncio
from collections.abc import Sequence

from temporalio.api.common.v1 import Payload
from temporalio.converter import (
    ExternalStorage,
    StorageDriver,
    StorageDriverClaim,
    StorageDriverRetrieveContext,
    StorageDriverStoreContext,
)

from agboss.domain.ids import ContentHash
from agboss.ports.pause_index import PauseIndex

THRESHOLD = 64 * 1024
"""Bytes; a plan with many tools is larger, and Temporal's own limit is 2 MB a payload."""


class BlobDriver(StorageDriver):
    """Keeps payloads as blobs: equal ones once."""

    def __init__(self, index: PauseIndex) -> None:
        self._index = index

    def name(self) -> str:
        return "agboss-blobs"

    def type(self) -> str:
        return "agboss.blobs"

    async def store(self, context: StorageDriverStoreContext, payloads: Sequence[Payload]) -> list[StorageDriverClaim]:
        names = await asyncio.gather(*(self._index.put_blob(payload.SerializeToString()) for payload in payloads))
        return [StorageDriverClaim(claim_data={"hash": name}) for name in names]

    async def retrieve(self, context: StorageDriverRetrieveContext, claims: Sequence[StorageDriverClaim]) -> list[Payload]:
        blobs = await asyncio.gather(*(self._index.get_blob(ContentHash(claim.claim_data["hash"])) for claim in claims))
        return [Payload.FromString(blob) for blob in blobs]


def blob_storage(index: PauseIndex) -> ExternalStorage:
    """For a data converter's ``external_storage``."""
    return ExternalStorage(drivers=[BlobDriver(index)], payload_size_threshold=THRESHOLD)
