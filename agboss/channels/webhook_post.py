"""Posting events to a receiver: signed, and again and again until it takes them or time is over."""

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agboss.channels.webhook_event import WebhookEvent, keys_of
from agboss.channels.webhook_reply import Later, Taken, reply_of
from agboss.declare.context import CancellationSignal
from agboss.errors import ConfigurationError, WebhookUndeliveredError

if TYPE_CHECKING:
    import ssl

    import httpx

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
"""Seconds between two attempts, unless the receiver wishes for more. The tool's timeout ends them all."""
_log = logging.getLogger("agboss.channels")


class Webhook:
    """Where ``WebhookChannel`` posts, and how: list one in ``services=``. It needs the extra ``agboss-temporal[webhook]``."""

    def __init__(
        self,
        *,
        url: str,
        secrets: str | Sequence[str],
        timeout: timedelta = timedelta(seconds=10),
        real_arguments: bool = False,
    ) -> None:
        """
        Args:
            url: of the receiver: ``https://``, or ``http://`` to this machine.
            secrets: like ``whsec_…``. Each event is signed with all of them, so that a receiver may know the old one or the
                new one while they are changed.
            timeout: of one attempt; the tool's timeout is that of all.
            real_arguments: post ``Sensitive`` arguments too. Masked, unless you say so: the receiver shows and keeps them.

        Raises:
            ConfigurationError: the URL or a secret can't be used, or the extra isn't installed.
        """
        if find_spec("httpx") is None or find_spec("standardwebhooks") is None:
            raise ConfigurationError("Webhook needs an extra: pip install 'agboss-temporal[webhook]'")
        self._host, self._is_tls = _checked(url)
        self._url = url
        self._keys = keys_of(secrets)
        if not self._keys:
            raise ConfigurationError("Webhook(secrets=) is empty: a receiver can't know whom an unsigned event comes from")
        self._timeout = timeout.total_seconds()
        if self._timeout <= 0:
            raise ConfigurationError("Webhook(timeout=) must be above zero")
        self.real_arguments = real_arguments

    def __repr__(self) -> str:
        return f"Webhook(host={self._host!r})"

    async def post(self, event: WebhookEvent, *, signal: CancellationSignal) -> Taken:
        """Post until the receiver takes the event, or ``signal`` is set.

        Raises:
            WebhookRejectedError: another try won't help.
            WebhookUndeliveredError: ``signal`` came first.
            DtoValidationError: it took the event and responded with something unreadable.
        """
        body = event.model_dump_json()
        wait = FIRST_WAIT
        # One client a post: it belongs to this loop, which may be replaced, and is closed whatever happens.
        async with self._client() as client:
            while True:
                reply = await self._attempt(client, event, body)
                if isinstance(reply, Taken):
                    return reply
                _log.warning(
                    "webhook.retry: %s at %s is tried again: %s",
                    event.type,
                    self._host,
                    reply.why,
                    extra={"code": "webhook.retry", "execution_id": event.execution_id, "tenant_id": event.tenant},
                )
                await _rest(max(reply.retry_after or 0.0, wait * random.uniform(0.5, 1)), signal)
                if signal.is_set():
                    raise WebhookUndeliveredError(f"the webhook at {self._host} didn't take {event.type}: {reply.why}")
                wait = min(wait * 2, LONGEST_WAIT)

    async def _attempt(self, client: "httpx.AsyncClient", event: WebhookEvent, body: str) -> Taken | Later:
        import httpx

        try:
            # HTTP's timeout is for each read; a receiver that drips would never reach it.
            async with asyncio.timeout(self._timeout):
                async with client.stream("POST", self._url, content=body, headers=self._headers(event, body)) as response:
                    return await reply_of(response, host=self._host)
        except TimeoutError:
            return Later(f"no response within {self._timeout:g} seconds")
        except httpx.TransportError as error:
            # Its kind alone, and never as a cause: it holds the request.
            return Later(f"it can't be reached ({type(error).__name__})")

    def _headers(self, event: WebhookEvent, body: str) -> dict[str, str]:
        sign = import_module("standardwebhooks").Webhook
        now = datetime.now(UTC)
        return {
            "content-type": "application/json",
            # A small compressed body may be a huge one.
            "accept-encoding": "identity",
            "user-agent": "agboss",
            "webhook-id": event.webhook_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(sign(key).sign(event.webhook_id, now, body) for key in self._keys),
        }

    def _client(self) -> "httpx.AsyncClient":
        import httpx

        # HTTPS_PROXY is heeded, since TLS goes through it; what has no TLS goes to this machine, and to no proxy.
        return httpx.AsyncClient(verify=self._tls, timeout=self._timeout, follow_redirects=False, trust_env=self._is_tls)

    @cached_property
    def _tls(self) -> "ssl.SSLContext":
        """Certificates take long to read, and belong to no loop."""
        import httpx

        return httpx.create_ssl_context()


async def _rest(seconds: float, signal: CancellationSignal) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await signal.wait()


def _checked(url: str) -> tuple[str, bool]:
    """Host and port, and whether it is TLS."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    # The URL itself isn't repeated: many hooks have a secret in theirs.
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError("Webhook(url=) is no https:// URL")
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError("Webhook(url=) has a user or password in it: the signature is what proves who posts")
    if parts.scheme == "http" and not _is_here(host):
        raise ConfigurationError(f"Webhook(url=) must be https:// for {host!r}: the pause's id is the right to answer")
    return host if port is None else f"{host}:{port}", parts.scheme == "https"


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
