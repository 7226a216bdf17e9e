"""Approvals: an agent that wants two things at once, and waits for both answers side by side."""

from activities.documents import DeleteTool, PublishTool
from agboss import FinishText, StartText, agent, start, workflow
from workflows.models import model


@agent(
    name="editor-agent",
    description="Keeps the company's documents",
    prompt="You keep the documents. Call publish-tool and delete-tool in one turn where both are needed, then say what "
    "was done.",
    model=model("office/editor"),
    tools=[PublishTool, DeleteTool],
)
class EditorAgent:
    pass


@workflow(name="approvals-workflow", version="1.0.0", flow=[start(StartText).to_agent(EditorAgent).to_finish(FinishText)])
class ApprovalsWorkflow:
    pass
