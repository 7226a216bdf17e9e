"""Refunding a card: an effect in the company's ledger, once for each idempotency key."""

import sqlite3
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel

from agboss import ExecutionContext, tool
from channels.refunds import RefundApprovalChannel, RefundInput


class Refunded(BaseModel):
    order_id: str
    amount: Decimal


class Ledger:
    """The company's own database."""

    def __init__(self, path: Path = Path(".data/ledger.db")) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        with sqlite3.connect(path) as ledger:
            ledger.execute("CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, order_id TEXT, amount TEXT)")

    def book(self, key: str, order_id: str, amount: Decimal) -> None:
        """Book a refund; the same key again books nothing."""
        with sqlite3.connect(self._path) as ledger:
            ledger.execute("INSERT OR IGNORE INTO refunds VALUES (?, ?, ?)", (key, order_id, str(amount)))

    def rows(self) -> list[tuple[str, str, str]]:
        """Everything booked."""
        with sqlite3.connect(self._path) as ledger:
            return ledger.execute("SELECT key, order_id, amount FROM refunds").fetchall()


@tool(name="refund-tool", description="Refunds an order to its card", channel=RefundApprovalChannel)
class RefundTool:
    def __init__(self, ledger: Ledger, context: ExecutionContext) -> None:
        self._ledger, self._context = ledger, context

    def run(self, refund: RefundInput) -> Refunded:
        key = self._context.step.idempotency_key
        assert key is not None
        self._ledger.book(key, refund.order_id, refund.amount)
        return Refunded(order_id=refund.order_id, amount=refund.amount)
