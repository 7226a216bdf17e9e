"""A webhook channel as the engine calls it, without an engine."""

import asyncio
from datetime import timedelta
from typing import Any

from agboss import (
    ChannelAnswered,
    ChannelAsk,
    ChannelOutcome,
    ChannelWithdrawal,
    ExecutionContext,
    ToolCallApprovalAsk,
    ToolCallApprovalDecision,
    Webhook,
    WebhookChannel,
    WithdrawalReason,
    channel,
)
from agboss.declare.context import CancellationSignal, Frame, enter
from agboss.domain.sensitive import masked
from agboss.temporal.user_code import UserCode
from tests.channels.hooks import SECRET, Hooks
from tests.rig import Payment, PaymentApproval

PAUSE_ID = "pause-id-that-nobody-may-see-0123456789"
PAYMENT = Payment(amount=90, to="A-17", card="4111-2222")


@channel(name="hook-payment-channel", description="Asks by webhook")
class HookPayment(WebhookChannel, PaymentApproval):
    """As an application's author writes it."""


def webhook(hooks: Hooks, **options: Any) -> Webhook:
    return Webhook(**{"url": hooks.url, "secrets": SECRET} | options)


def question() -> ToolCallApprovalAsk[Payment]:
    return ToolCallApprovalAsk(
        call_id="c1", tool="pay-tool", arguments=PAYMENT, masked_arguments=masked(PAYMENT), summary="pay-tool: 90"
    )


def frame(signal: CancellationSignal | None = None) -> Frame:
    return Frame(tenant_id="acme", thread_id="t", owner_id=None, execution_id="e-1", signal=signal or CancellationSignal())


async def ask(hook: Webhook, *, signal: CancellationSignal | None = None) -> ChannelOutcome:
    """Ask one question."""
    asked = ChannelAsk(pause_id=PAUSE_ID, channel="payment-approval-channel", value=question())
    with enter(frame(signal)):
        return await HookPayment(hook, ExecutionContext()).send(asked)


async def ask_within(hook: Webhook, *, timeout: timedelta) -> ChannelOutcome:
    """Ask as a tool with this timeout does."""
    asked = ChannelAsk(pause_id=PAUSE_ID, channel="payment-approval-channel", value=question())
    code = UserCode()
    try:
        send = HookPayment(hook, ExecutionContext()).send
        outcome: ChannelOutcome = await code.run(send, asked, frame=frame(), timeout=timeout.total_seconds())
        # The task that was cut off ends on its own loop.
        return outcome
    finally:
        await asyncio.sleep(0.1)
        await code.close()


async def tell_answer(hook: Webhook, decision: dict[str, Any], *, acted_on: bool | None = None) -> None:
    """Tell that the question was answered."""
    answered = ChannelAnswered(
        pause_id=PAUSE_ID,
        channel="payment-approval-channel",
        value=question(),
        decision=ToolCallApprovalDecision.model_validate(decision),
        responder="manager-17",
        acted_on=acted_on,
    )
    with enter(frame()):
        await HookPayment(hook, ExecutionContext()).answered(answered)


async def take_back(hook: Webhook, resolution: WithdrawalReason) -> None:
    """Take the question back."""
    withdrawal = ChannelWithdrawal(
        pause_id=PAUSE_ID, channel="payment-approval-channel", value=question(), resolution=resolution
    )
    with enter(frame()):
        await HookPayment(hook, ExecutionContext()).withdraw(withdrawal)
