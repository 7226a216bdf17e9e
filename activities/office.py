"""Returning deposits and booking expenses: effects in the company's ledger."""

from activities.ledger import Ledger
from agboss import ExecutionContext, tool
from channels.office import DepositApprovalChannel, DepositReturn, ExpenseApprovalChannel
from interpreters.expenses import Expense


@tool(name="return-deposit-tool", description="Returns a deposit", channel=DepositApprovalChannel)
class ReturnDepositTool:
    def __init__(self, ledger: Ledger, context: ExecutionContext) -> None:
        self._ledger, self._context = ledger, context

    def run(self, deposit: DepositReturn) -> str:
        self._ledger.book(self._context.step.idempotency_key, "deposit", deposit.lease_id)
        return f"returned the deposit of {deposit.lease_id}"


@tool(name="book-expense-tool", description="Books an expense", channel=ExpenseApprovalChannel)
class BookExpenseTool:
    def __init__(self, ledger: Ledger, context: ExecutionContext) -> None:
        self._ledger, self._context = ledger, context

    def run(self, expense: Expense) -> str:
        self._ledger.book(self._context.step.idempotency_key, "expense", expense.purpose)
        return f"booked {expense.purpose}"
