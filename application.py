"""The office application, put together. Its model is scripted, so that it runs without a key."""

from activities.refunds import Ledger
from agboss import Application, ScriptedModels
from channels.refunds import Desk, DeskRefundApprovalChannel
from workflows.refunds import RefundWorkflow


def scripted() -> ScriptedModels:
    """A model that refunds order A-17 when asked."""
    models = ScriptedModels(serves=["office/*"])
    models.when(turn=0).call("refund-tool", order_id="A-17", amount="50.00", card="4111 1111 1111 1111")
    models.when(result="rejected by").answer("I am sorry, the refund was not approved.")
    models.when(result_of="refund-tool").answer("Your refund is on its way.")
    return models


office = Application(
    name="office",
    workflows=[RefundWorkflow],
    channels=[DeskRefundApprovalChannel],
    models=[scripted()],
    services=[Ledger, Desk],
)
