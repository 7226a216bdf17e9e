"""For receivers: whether a request comes from agboss."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from agboss.channels.webhook_event import WebhookEvent, keys_of
from agboss.errors import WebhookUnverifiedError

_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def verified(headers: Mapping[str, str], body: bytes, secrets: str | Sequence[str]) -> WebhookEvent:
    """The event in a request that is signed with one of ``secrets`` and at most five minutes old.

    A retry is a valid request with the ``webhook_id`` of the first, and so is a replay within those minutes: do each
    ``webhook_id`` once, and respond to all of them with 2xx.

    Args:
        headers: names in any case.
        body: as it came, byte by byte.
        secrets: all that are valid now.

    Raises:
        WebhookUnverifiedError: it is not; also where there is no secret at all.
        ConfigurationError: a secret is no secret.
    """
    from standardwebhooks import Webhook, WebhookVerificationError

    keys = keys_of(secrets)
    if not keys:
        raise WebhookUnverifiedError("there is no webhook secret, so no request is accepted")
    given = {name.lower(): value for name, value in headers.items()}
    if not all(given.get(name) for name in _HEADERS):
        raise WebhookUnverifiedError("the request isn't signed")
    for key in keys:
        try:
            Webhook(key).verify(body, given, json_parse=False)
            break
        # ValueError: bodies, numbers and signatures that are no text, number or base64.
        except (WebhookVerificationError, ValueError):
            continue
    else:
        raise WebhookUnverifiedError("the request's signature isn't valid, or the request is older than five minutes")
    try:
        event = WebhookEvent.model_validate_json(body)
    except ValidationError:
        event = None
    if event is None:
        raise WebhookUnverifiedError("the request is signed, and no event: is the sender newer?")
    if event.webhook_id != given["webhook-id"]:
        raise WebhookUnverifiedError("the request's webhook-id belongs to another event")
    return event
