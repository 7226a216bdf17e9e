"""Refunds: an agent that can refund, once a manager approves."""

from activities.refunds import RefundTool
from agboss import FinishText, StartText, agent, start, workflow
from workflows.models import model


@agent(
    name="support-agent",
    description="Answers customers and refunds orders",
    prompt="You are the support desk. Refund with refund-tool where the customer is right, then say what you did.",
    model=model("office/support"),
    tools=[RefundTool],
)
class SupportAgent:
    pass


@workflow(name="refund-workflow", version="1.0.0", flow=[start(StartText).to_agent(SupportAgent).to_finish(FinishText)])
class RefundWorkflow:
    pass
