"""What a channel's ``send`` returns: a closed union with named constructors."""

from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict


class ChannelOutcome(BaseModel):
    """The outcome of ``send``. Make one with ``await_reply()`` or ``decided(…)``."""

    model_config = ConfigDict(frozen=True)

    kind: str

    @staticmethod
    def await_reply() -> "AwaitReply":
        """Someone was asked; the call pauses until ``app.resume`` answers it."""
        return AwaitReply()

    @staticmethod
    def decided(decision: BaseModel | dict[str, Any]) -> "Decided":
        """The channel decided at once; the call doesn't pause. The decision, a ``ToolCallApprovalDecision`` or the answer of a
        question role, is validated like any (S054)."""
        return Decided(decision=decision)


class AwaitReply(ChannelOutcome):
    """The call pauses until it is answered."""

    kind: Literal["await-reply"] = "await-reply"


class Decided(ChannelOutcome):
    """The channel's own decision, not validated yet."""

    kind: Literal["decided"] = "decided"
    decision: Any


AnyChannelOutcome: TypeAlias = AwaitReply | Decided
