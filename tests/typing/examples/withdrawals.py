"""S220: a question is taken back because it was withdrawn or cancelled, and for no other reason."""

from typing import assert_never

from pydantic import BaseModel

from agboss import ChannelWithdrawal, PauseResolution, ToolCallApprovalAsk, WithdrawalReason


class Refund(BaseModel):
    order_id: str


def both_are_all(withdrawal: ChannelWithdrawal[Refund]) -> str:
    match withdrawal.resolution:
        case PauseResolution.WITHDRAWN:
            return "no longer needed"
        case PauseResolution.CANCELLED:
            return "cancelled"
        case never:
            assert_never(never)


def one_is_not_all(withdrawal: ChannelWithdrawal[Refund]) -> str:
    match withdrawal.resolution:
        case PauseResolution.WITHDRAWN:
            return "no longer needed"
        case left:
            assert_never(left)  # E: arg-type


def no_other_is_compared(withdrawal: ChannelWithdrawal[Refund]) -> list[bool]:
    return [
        withdrawal.resolution == PauseResolution.WITHDRAWN,
        withdrawal.resolution is PauseResolution.CANCELLED,
        withdrawal.resolution == PauseResolution.REPLIED,  # E: comparison-overlap
        withdrawal.resolution is PauseResolution.DECIDED,  # E: comparison-overlap
    ]


def no_other_is_made(asked: ToolCallApprovalAsk[Refund]) -> list[ChannelWithdrawal[Refund]]:
    return [
        ChannelWithdrawal(pause_id="id", channel="a-channel", value=asked, resolution=PauseResolution.WITHDRAWN),
        ChannelWithdrawal(pause_id="id", channel="a-channel", value=asked, resolution=PauseResolution.CANCELLED),
        ChannelWithdrawal(pause_id="", channel="", value=asked, resolution=PauseResolution.REPLIED),  # E: arg-type
        ChannelWithdrawal(pause_id="", channel="", value=asked, resolution="expired"),  # E: arg-type
    ]


CANCELLED: WithdrawalReason = PauseResolution.CANCELLED
DECIDED: WithdrawalReason = PauseResolution.DECIDED  # E: assignment
