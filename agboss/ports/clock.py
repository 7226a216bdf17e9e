"""The application's clock (R06): all times come from here and are UTC."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time outside workflows; inside one, workflow time is the clock."""

    def now(self) -> datetime:
        """The present instant, in UTC, with its zone."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return when ``seconds`` of this clock have passed."""
        ...
