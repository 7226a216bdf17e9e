"""What a webhook says, on both sides: the one who asks builds it, the receiver reads it."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from agboss.domain.asks import ToolCallApprovalAsk
from agboss.errors import ConfigurationError

SECRET_PREFIX = "whsec_"
_KEY_BYTES = range(24, 65)
"""What the Standard Webhooks specification wants of a key."""


EventType: TypeAlias = Literal["pause.asked", "pause.answered", "pause.withdrawn", "pause.cancelled"]


class WebhookAnswer(BaseModel):
    """How a question was answered."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    approved: bool
    reason: str | None = None
    masked_override_arguments: dict[str, Any] | None = None
    responder: str
    """Who answered: a caller's name, or another channel's that decided at once."""
    acted_on: bool | None
    """``None``: the call hasn't come to it yet; false: the execution ended before."""


class WebhookEvent(BaseModel):
    """A question, its answer, or that it is no longer asked. Unknown fields are skipped, so that receivers may be older."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    type: EventType
    pause_id: str = Field(repr=False)
    """The right to answer: keep it like a password, and out of addresses and logs."""
    channel: str
    """The role's name, or the concrete channel's own."""
    tenant: str
    execution_id: str
    ask: ToolCallApprovalAsk[dict[str, Any] | None] = Field(repr=False)
    """``arguments`` is ``None`` unless the sender's ``Webhook`` posts the real ones."""
    answer: WebhookAnswer | None = Field(default=None, exclude_if=lambda answer: answer is None)
    """Of ``pause.answered``."""

    @property
    def webhook_id(self) -> str:
        """The header ``webhook-id``: the same at every attempt and for no other event, and it tells nothing of the pause's
        id."""
        return "msg_" + hashlib.sha256(f"{self.type}\n{self.pause_id}".encode()).hexdigest()


def keys_of(secrets: str | Sequence[str]) -> list[bytes]:
    """The keys in secrets like ``whsec_…``; the first signs first.

    Raises:
        ConfigurationError: one is none, or too short; it isn't repeated.
    """
    return [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]


def _key_of(secret: str) -> bytes:
    text = secret.strip()
    encoded = text.removeprefix(SECRET_PREFIX)
    key: bytes | None
    try:
        # Padding is often left out. Strict, since a key of which half is skipped would be a weaker one, unnoticed.
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = None
    if not text.startswith(SECRET_PREFIX) or key is None or len(key) not in _KEY_BYTES:
        raise ConfigurationError(
            f"a webhook secret is {SECRET_PREFIX} and then 24 to 64 random bytes in base64, and this one is not: make one with "
            """python -c 'import base64, secrets; print("whsec_" + base64.b64encode(secrets.token_bytes(32)).decode())'"""
        )
    return key
