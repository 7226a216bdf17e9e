"""The office: an agent whose two tools are decided in free text, by a clerk and by the owner of the conversation."""

from activities.office import BookExpenseTool, ReturnDepositTool
from agboss import FinishText, StartText, agent, start, workflow
from workflows.models import model


@agent(
    name="office-agent",
    description="Returns deposits and books expenses",
    prompt="Do what is asked.",
    model=model("office/clerk"),
    tools=[ReturnDepositTool, BookExpenseTool],
)
class OfficeAgent:
    pass


@workflow(name="office-workflow", version="1.0.0", flow=[start(StartText).to_agent(OfficeAgent).to_finish(FinishText)])
class OfficeWorkflow:
    pass
