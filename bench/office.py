"""The gate as an application of agboss."""

from pydantic import BaseModel

from agboss import (
    Application,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    ExecutionContext,
    FinishText,
    PauseAnswerer,
    StartText,
    agent,
    channel,
    channel_role,
    start,
    tool,
    workflow,
)
from agboss.domain.conversation import ModelAnswer, ModelRequest, ToolCall
from bench.desk import Desk


class Refund(BaseModel):
    """The tool's input."""

    order_id: str
    amount: int


@channel_role(name="refund-approval-channel", description="Approves", approves=Refund, answered_by=PauseAnswerer.CHANNEL)
class RefundApproval(ChannelOf[Refund]):
    pass


@channel(name="desk-refund-channel", description="Asks the desk")
class DeskRefund(RefundApproval):
    def __init__(self, desk: Desk, context: ExecutionContext) -> None:
        self._desk, self._context = desk, context

    async def send(self, ask: ChannelAsk[Refund]) -> ChannelOutcome:
        self._desk.ask(self._context.execution_id, ask.pause_id)
        return ChannelOutcome.await_reply()


@tool(name="refund-tool", description="Refunds an order", channel=RefundApproval)
class RefundTool:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def run(self, refund: Refund) -> str:
        return self._desk.refund(refund.order_id)


@agent(name="bench-agent", description="Refunds", prompt="Refund the order.", model="bench/one", tools=[RefundTool])
class BenchAgent:
    pass


@workflow(name="bench-workflow", version="1", flow=[start(StartText).to_agent(BenchAgent).to_finish(FinishText)])
class BenchWorkflow:
    pass


class BenchModel:
    """The scripted model: wants the refund first, then tells of it. It keeps nothing, because memory is measured."""

    serves = ("bench/*",)

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """See ``ModelProvider``."""
        if request.messages[-1].role == "user":
            call = ToolCall(id="call_0", name="refund-tool", arguments={"order_id": "A-17", "amount": 50})
            return ModelAnswer(text="", calls=(call,))
        return ModelAnswer(text="Your refund is on its way.")


def office(desk: Desk, *, name: str = "bench") -> Application:
    """The application whose channel and tool use ``desk``."""
    return Application(name=name, workflows=[BenchWorkflow], channels=[DeskRefund], models=[BenchModel()], services=[desk])
