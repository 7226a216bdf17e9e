"""Asking by webhook: the question is posted to a receiver, signed by the Standard Webhooks scheme.

    @channel(name="hook-refund-approval-channel", description="Asks the approvals service")
    class HookRefundApprovalChannel(WebhookChannel, RefundApprovalChannel): ...

    Application(…, services=[Webhook(url="https://approvals.example/agboss", secrets="whsec_…")])

It needs the extra ``agboss-temporal[webhook]``; ``docs/webhooks.md`` has both sides.
"""

from typing import Any

from pydantic import BaseModel

from agboss.channels.webhook_event import EventType
from agboss.channels.webhook_event import WebhookAnswer as WebhookAnswer
from agboss.channels.webhook_event import WebhookEvent as WebhookEvent
from agboss.channels.webhook_post import Webhook as Webhook
from agboss.channels.webhook_reply import Taken
from agboss.channels.webhook_verify import verified as verified
from agboss.declare.channel import ChannelOf
from agboss.declare.context import ExecutionContext
from agboss.domain.asks import ChannelAnswered, ChannelAsk, ChannelWithdrawal, ToolCallApprovalAsk
from agboss.domain.outcomes import ChannelOutcome
from agboss.domain.resolutions import PauseResolution


class WebhookChannel(ChannelOf[Any]):
    """Derive your role's channel from it. A 2xx response is enough to wait for the answer; a 200 with
    ``{"decision": {"approved": …}}`` decides at once.

    For a second receiver derive from ``Webhook`` too, and give the channel a constructor that takes that class.
    """

    def __init__(self, webhook: Webhook, context: ExecutionContext) -> None:
        self._webhook, self._context = webhook, context

    async def send(self, ask: ChannelAsk[Any]) -> ChannelOutcome:
        taken = await self._post("pause.asked", ask)
        return ChannelOutcome.await_reply() if taken.decision is None else ChannelOutcome.decided(taken.decision)

    async def withdraw(self, withdrawal: ChannelWithdrawal[Any]) -> None:
        is_withdrawn = withdrawal.resolution is PauseResolution.WITHDRAWN
        await self._post("pause.withdrawn" if is_withdrawn else "pause.cancelled", withdrawal)

    async def answered(self, answered: ChannelAnswered[Any]) -> None:
        decision = answered.decision
        answer = WebhookAnswer(
            approved=decision.approved,
            reason=decision.reason,
            masked_override_arguments=decision.override_arguments,
            responder=answered.responder,
            acted_on=answered.acted_on,
        )
        await self._post("pause.answered", answered, answer)

    async def _post(
        self,
        type: EventType,
        about: ChannelAsk[Any] | ChannelAnswered[Any] | ChannelWithdrawal[Any],
        answer: WebhookAnswer | None = None,
    ) -> Taken:
        event = WebhookEvent(
            type=type,
            pause_id=about.pause_id,
            channel=about.channel,
            tenant=self._context.tenant_id,
            execution_id=self._context.execution_id,
            ask=self._posted(about.value),
            answer=answer,
        )
        return await self._webhook.post(event, signal=self._context.signal)

    def _posted(self, ask: ToolCallApprovalAsk[Any]) -> ToolCallApprovalAsk[dict[str, Any] | None]:
        """The question as it leaves this process: the channel has the real arguments (R16), and keeps them unless told."""
        real = ask.arguments if self._webhook.real_arguments else None
        return ToolCallApprovalAsk[dict[str, Any] | None](
            call_id=ask.call_id,
            tool=ask.tool,
            arguments=real.model_dump(mode="json") if isinstance(real, BaseModel) else real,
            masked_arguments=ask.masked_arguments,
            summary=ask.summary,
        )
