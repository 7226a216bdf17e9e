"""Publishing and deleting documents; the owner of the conversation approves each in the terminal."""

from pydantic import BaseModel

from activities.ledger import Ledger
from agboss import ExecutionContext, TerminalUserChannel, tool


class Document(BaseModel):
    title: str


@tool(name="publish-tool", description="Publishes a document", channel=TerminalUserChannel)
class PublishTool:
    def __init__(self, ledger: Ledger, context: ExecutionContext) -> None:
        self._ledger, self._context = ledger, context

    def run(self, document: Document) -> str:
        self._ledger.book(self._context.step.idempotency_key, "publish", document.title)
        return f"{document.title} is published"


@tool(name="delete-tool", description="Deletes a document", channel=TerminalUserChannel)
class DeleteTool:
    def __init__(self, ledger: Ledger, context: ExecutionContext) -> None:
        self._ledger, self._context = ledger, context

    def run(self, document: Document) -> str:
        self._ledger.book(self._context.step.idempotency_key, "delete", document.title)
        return f"{document.title} is deleted"
