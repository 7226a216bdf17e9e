"""Refunds that a manager approves in Slack: the question is posted under its pause id, and closed when it is answered
or nobody needs it."""

from typing import Protocol

from pydantic import BaseModel

from agboss import (
    ChannelAnswered,
    ChannelAsk,
    ChannelOf,
    ChannelOutcome,
    ChannelWithdrawal,
    ExecutionContext,
    PauseAnswerer,
    PauseResolution,
    channel,
    channel_role,
)


class RefundRequest(BaseModel):
    order_id: str


class SlackClient(Protocol):
    """What the channel needs of Slack. Both may be called again with the same id, after a lost worker."""

    async def post_approval(self, pause_id: str, text: str) -> None:
        """Post the question; its buttons answer the pause called ``pause_id``."""

    async def close_approval(self, pause_id: str, text: str) -> None:
        """Replace the question and its buttons by ``text``."""


@channel_role(
    name="refund-approval-channel",
    description="Approves a refund",
    approves=RefundRequest,
    answered_by=PauseAnswerer.CHANNEL,
)
class RefundApprovalChannel(ChannelOf[RefundRequest]):
    """The managers' role."""


@channel(name="slack-refund-approval-channel", description="Asks a manager in Slack")
class SlackRefundApprovalChannel(RefundApprovalChannel):
    def __init__(self, slack: SlackClient, context: ExecutionContext) -> None:
        self._slack, self._context = slack, context

    async def send(self, ask: ChannelAsk[RefundRequest]) -> ChannelOutcome:
        order = ask.value.arguments.order_id
        await self._slack.post_approval(ask.pause_id, f"Refund order {order} ({self._context.tenant_id})?")
        return ChannelOutcome.await_reply()

    async def answered(self, answered: ChannelAnswered[RefundRequest]) -> None:
        order = answered.value.arguments.order_id
        how = "approved" if answered.decision.approved else "rejected"
        await self._slack.close_approval(answered.pause_id, f"Refund of order {order}: {how} by {answered.responder}")

    async def withdraw(self, withdrawal: ChannelWithdrawal[RefundRequest]) -> None:
        order = withdrawal.value.arguments.order_id
        why = "no longer needed" if withdrawal.resolution == PauseResolution.WITHDRAWN else "cancelled"
        await self._slack.close_approval(withdrawal.pause_id, f"Refund of order {order}: {why}")
