"""A token bucket for each caller, in this process alone: two processes let twice as much through."""

import time
from collections.abc import Callable


class Buckets:
    """Callers are few and known, so nothing is ever removed."""

    def __init__(self, *, per_second: float, burst: int, now: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now = now
        self._left: dict[str, tuple[float, float]] = {}
        """Tokens, and when they were counted."""

    def take(self, caller: str) -> float:
        """Take a token. 0, or the seconds until there is one."""
        now = self._now()
        left, since = self._left.get(caller, (float(self._burst), now))
        left = min(self._burst, left + (now - since) * self._per_second)
        self._left[caller] = (left - 1 if left >= 1 else left, now)
        return 0.0 if left >= 1 else (1 - left) / self._per_second
