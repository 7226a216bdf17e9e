"""What a step's user code is given: the frame it runs in, and the question it is about."""

from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal, Frame, StepFrame
from agboss.domain.asks import QuestionAsk, ToolCallApprovalAsk
from agboss.domain.ids import ExecutionId
from agboss.ports.pause_index import PlannedCall, TreeFrame


def frame_of(
    tree: TreeFrame,
    *,
    execution: ExecutionId,
    node: str,
    agent: str,
    call: PlannedCall | None,
    attempt: int,
    signal: CancellationSignal,
    sending: bool = False,
) -> Frame:
    """The frame of one step; the execution runs as the thread's owner, whoever answered (S142)."""
    return Frame(
        tenant_id=tree.tenant,
        thread_id=tree.thread,
        owner_id=tree.owner,
        execution_id=execution,
        fields=tree.fields,
        step=StepFrame(
            node_id=node,
            agent=agent,
            tool=call.tool if call else None,
            call_id=call.call_id if call else None,
            idempotency_key=call.step_key if call else None,
        ),
        attempt=attempt,
        signal=signal,
        sending=sending,
    )


def question_of(call: PlannedCall, assembled: Assembled) -> ToolCallApprovalAsk[object]:
    """A call as its channel is asked about it, and told later that it is no longer asked."""
    arguments = assembled.validate(call.tool, call.arguments)
    answer = assembled.answer_model(call.tool)
    if answer is None:
        return ToolCallApprovalAsk(
            call_id=call.call_id,
            tool=call.tool,
            arguments=arguments,
            masked_arguments=call.masked_arguments,
            summary=call.summary,
        )
    return QuestionAsk(
        call_id=call.call_id,
        tool=call.tool,
        arguments=arguments,
        masked_arguments=call.masked_arguments,
        summary=call.summary,
        answer_schema=answer.model_json_schema(),
    )
