"""The office application, put together. Its models are scripted, so that it runs without a key, unless OPENAI_BASE_URL and
OPENAI_API_KEY name an endpoint."""

from activities.ledger import Ledger
from agboss import Application, OpenAIModels, ScriptedModels
from channels.refunds import Desk, DeskRefundApprovalChannel
from workflows.approvals import ApprovalsWorkflow
from workflows.models import has_endpoint
from workflows.refunds import RefundWorkflow


def scripted() -> ScriptedModels:
    """Models that refund order A-17, and replace a price list, when asked."""
    models = ScriptedModels(serves=["office/*"])
    support, editor = "office/support", "office/editor"
    models.when(model=support, turn=0).call("refund-tool", order_id="A-17", amount="50.00", card="4111 1111 1111 1111")
    models.when(model=support, result="rejected by").answer("I am sorry, the refund was not approved.")
    models.when(model=support, result_of="refund-tool").answer("Your refund is on its way.")
    replaced = models.when(model=editor, turn=0).call("publish-tool", title="Prices 2027")
    replaced.call("delete-tool", title="Prices 2026")
    models.when(model=editor, result_of="delete-tool").answer("Everything you approved is done.")
    return models


office = Application(
    name="office",
    workflows=[RefundWorkflow, ApprovalsWorkflow],
    channels=[DeskRefundApprovalChannel],
    models=[OpenAIModels(serves=["*"])] if has_endpoint() else [scripted()],
    services=[Ledger, Desk],
)
