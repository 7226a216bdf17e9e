"""Every limit of the HTTP interface, with its reason."""

from dataclasses import dataclass
from datetime import timedelta

LONGEST_WAIT_SECONDS = 300.0
"""Proxies give up about here; who needs longer looks again."""
USUAL_WAIT_SECONDS = 30.0
DEEPEST = 64
"""Nested lists and objects in a body: what no person writes, and what no recursive reader survives a thousand of."""
CLAIM = timedelta(seconds=30)
"""How long an idempotency key is its request's without a response: longer than recording an answer or starting takes."""
KEPT = timedelta(hours=24)
"""How long the response to an idempotency key is kept."""
MOST_LISTED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a deployment may set."""

    body_bytes: int = 256 * 1024
    per_second: float = 50.0
    """Requests of one caller, in one process, on average."""
    burst: int = 100
    """At once, after a while of none."""
