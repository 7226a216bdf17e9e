"""The hand-written gate. Its decision comes with the signal and lives in the history."""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from bench.by_hand.activities import RefundActivities
    from bench.by_hand.messages import Decision, Message, Question

SECONDS = timedelta(seconds=30)


@workflow.defn
class RefundByHand:
    """Start, model turn, ask, answer, tool, model turn, finish."""

    def __init__(self) -> None:
        self._decision: Decision | None = None

    @workflow.run
    async def run(self, text: str) -> str:
        conversation = [Message(role="user", text=text)]
        while True:
            said = await workflow.execute_activity_method(
                RefundActivities.model_turn, conversation, start_to_close_timeout=SECONDS
            )
            conversation.append(said)
            if said.refund is None:
                return said.text
            question = Question(workflow_id=workflow.info().workflow_id, refund=said.refund)
            await workflow.execute_activity_method(RefundActivities.send_question, question, start_to_close_timeout=SECONDS)
            await workflow.wait_condition(lambda: self._decision is not None)
            assert self._decision is not None
            result = "rejected"
            if self._decision.approved:
                result = await workflow.execute_activity_method(
                    RefundActivities.run_refund, said.refund, start_to_close_timeout=SECONDS
                )
            self._decision = None
            conversation.append(Message(role="tool", text=result))

    @workflow.signal
    def decide(self, decision: Decision) -> None:
        """The first answer counts."""
        self._decision = self._decision or decision
