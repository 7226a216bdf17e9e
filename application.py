"""The office application, put together. Its models are scripted, so that it runs without a key, unless OPENAI_BASE_URL and
OPENAI_API_KEY name an endpoint, and TYPESAFE_API_KEY lets it ask a real decision model."""

from activities.ledger import Ledger
from agboss import Application, OpenAIModels, ScriptedDecisions, ScriptedModels, TypeSafeDecisions
from channels.office import ButtonExpenseApprovalChannel, DeskDepositApprovalChannel
from channels.refunds import Desk, DeskRefundApprovalChannel
from workflows.approvals import ApprovalsWorkflow
from workflows.models import has_decisions, has_endpoint
from workflows.office import OfficeWorkflow
from workflows.refunds import RefundWorkflow


def scripted() -> ScriptedModels:
    """Models that refund order A-17, replace a price list, return a deposit and book an expense, when asked."""
    models = ScriptedModels(serves=["office/*"])
    support, editor = "office/support", "office/editor"
    models.when(model=support, turn=0).call("refund-tool", order_id="A-17", amount="50.00", card="4111 1111 1111 1111")
    models.when(model=support, result="rejected by").answer("I am sorry, the refund was not approved.")
    models.when(model=support, result_of="refund-tool").answer("Your refund is on its way.")
    replaced = models.when(model=editor, turn=0).call("publish-tool", title="Prices 2027")
    replaced.call("delete-tool", title="Prices 2026")
    models.when(model=editor, result_of="delete-tool").answer("Everything you approved is done.")
    models.when(model="office/reader", reply="ok, but only half").read(
        approved=True, override_arguments={"order_id": "A-17", "amount": "25.00"}
    )
    clerk = "office/clerk"
    asked = models.when(model=clerk, turn=0).call("return-deposit-tool", lease_id="L-7")
    asked.call("book-expense-tool", purpose="pens")
    models.when(model=clerk, turn=1).answer("Deposit and expense are done, as they were decided.")
    return models


def scripted_decisions() -> ScriptedDecisions:
    """A decision model that is sure of one reply."""
    decisions = ScriptedDecisions(serves=["typesafe/*"])
    decisions.when(reply="yes, the flat is in order").answer(0.9)
    decisions.when().answer(0.1)
    return decisions


office = Application(
    name="office",
    workflows=[RefundWorkflow, ApprovalsWorkflow, OfficeWorkflow],
    channels=[DeskRefundApprovalChannel, DeskDepositApprovalChannel, ButtonExpenseApprovalChannel],
    models=[
        TypeSafeDecisions(serves=["typesafe/*"]) if has_decisions() else scripted_decisions(),
        OpenAIModels(serves=["*"]) if has_endpoint() else scripted(),
    ],
    services=[Ledger, Desk],
)
