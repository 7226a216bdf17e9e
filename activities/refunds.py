"""Refunding a card: an effect in the company's ledger."""

from decimal import Decimal

from pydantic import BaseModel

from activities.ledger import Ledger
from agboss import ExecutionContext, tool
from channels.refunds import RefundApprovalChannel, RefundInput


class Refunded(BaseModel):
    order_id: str
    amount: Decimal


@tool(name="refund-tool", description="Refunds an order to its card", channel=RefundApprovalChannel)
class RefundTool:
    def __init__(self, ledger: Ledger, context: ExecutionContext) -> None:
        self._ledger, self._context = ledger, context

    def run(self, refund: RefundInput) -> Refunded:
        self._ledger.book(self._context.step.idempotency_key, "refund", refund.order_id, str(refund.amount))
        return Refunded(order_id=refund.order_id, amount=refund.amount)
