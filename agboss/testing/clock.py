"""A clock that a test moves."""

import asyncio
import heapq
from datetime import UTC, datetime, timedelta


class ManualClock:
    """A ``Clock`` that stands still until ``advance``; whoever sleeps on it wakes when his time has come.

    Args:
        start: its first instant, in UTC.
    """

    def __init__(self, start: datetime = datetime(2027, 1, 1, 12, tzinfo=UTC)) -> None:
        self._now = start
        self._sleepers: list[tuple[datetime, int, asyncio.Future[None]]] = []
        self._slept = 0

    def now(self) -> datetime:
        return self._now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._slept += 1
        heapq.heappush(self._sleepers, (self._now + timedelta(seconds=seconds), self._slept, future))
        await future

    def advance(self, by: timedelta) -> None:
        """Let time pass. Call it on the loop of those who sleep."""
        self._now += by
        while self._sleepers and self._sleepers[0][0] <= self._now:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)
