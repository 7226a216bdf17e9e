"""The activities of the hand-written gate. Each does what its twin in ``bench.office`` does."""

from temporalio import activity

from bench.by_hand.messages import Message, Question, Refund
from bench.desk import Desk


class RefundActivities:
    """Model turn, send and tool run."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @activity.defn
    async def model_turn(self, conversation: list[Message]) -> Message:
        """The scripted model: wants the refund first, then tells of it."""
        if conversation[-1].role == "user":
            return Message(role="assistant", refund=Refund(order_id="A-17", amount=50))
        return Message(role="assistant", text="Your refund is on its way.")

    @activity.defn
    async def send_question(self, question: Question) -> None:
        """The channel's send."""
        self._desk.ask(question.workflow_id, question.workflow_id)

    @activity.defn
    async def run_refund(self, refund: Refund) -> str:
        """The tool."""
        return self._desk.refund(refund.order_id)
