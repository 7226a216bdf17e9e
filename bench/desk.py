"""Where both sides' channels ask and both sides' tools refund."""

import asyncio
from collections.abc import Callable


class Desk:
    """Hands each question to whoever waits for it, or to ``tell``.

    Args:
        tell: is given the execution's id and the id to answer by, instead of the waiting.
    """

    def __init__(self, tell: Callable[[str, str], None] | None = None) -> None:
        self._tell = tell
        self._asked: dict[str, asyncio.Future[str]] = {}
        self.refunds = 0
        """How often a tool ran."""

    def ask(self, execution: str, answer_to: str) -> None:
        """Called by a channel's ``send``."""
        if self._tell is not None:
            self._tell(execution, answer_to)
            return
        asked = self._of(execution)
        if not asked.done():
            asked.set_result(answer_to)

    async def asked(self, execution: str) -> str:
        """The id to answer ``execution`` by, as soon as its channel has been asked."""
        try:
            return await self._of(execution)
        finally:
            del self._asked[execution]

    def refund(self, order_id: str) -> str:
        """Called by a tool."""
        self.refunds += 1
        return f"refunded {order_id}"

    def _of(self, execution: str) -> asyncio.Future[str]:
        # The channel can be asked before whoever started the execution gets to wait.
        return self._asked.setdefault(execution, asyncio.get_running_loop().create_future())
