"""What a channel is asked, what it is told when the question is answered or taken back, and what a decision is."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator, model_validator

from agboss.domain.resolutions import WithdrawalReason
from agboss.domain.text import MAX_REASON, one_line

Arguments = TypeVar("Arguments")


class ToolCallApprovalAsk(BaseModel, Generic[Arguments]):
    """One tool call that waits for a decision."""

    model_config = ConfigDict(frozen=True)

    call_id: str
    """The provider's id of the call, made unique within its turn."""
    tool: str
    arguments: Arguments
    """The validated arguments: what is asked is what runs (S009)."""
    masked_arguments: dict[str, Any] = Field(default_factory=dict)
    """The same with ``Sensitive`` fields masked: what pages and terminals show (R16)."""
    summary: str
    """One line for people, masked."""


class QuestionAsk(ToolCallApprovalAsk[Arguments], Generic[Arguments]):
    """One question whose answer is the result of the call: ``arguments`` are what is asked (R19)."""

    answer_schema: dict[str, Any]
    """JSON schema of the role's answer: what ``resume(decision=…)`` takes."""


class ChannelAsk(BaseModel, Generic[Arguments]):
    """What a channel's ``send`` is given."""

    model_config = ConfigDict(frozen=True)

    pause_id: str = Field(repr=False)
    """The right to answer; the same at every attempt, so it serves as an idempotency key (S135)."""
    channel: str
    """The role's name, or the concrete channel's own."""
    value: ToolCallApprovalAsk[Arguments]


class ChannelWithdrawal(BaseModel, Generic[Arguments]):
    """What a channel's ``withdraw`` is given: the question it was sent closed without an answer."""

    model_config = ConfigDict(frozen=True)

    pause_id: str = Field(repr=False)
    channel: str
    value: ToolCallApprovalAsk[Arguments]
    resolution: WithdrawalReason


class ToolCallApprovalDecision(BaseModel):
    """The answer to a ``ToolCallApprovalAsk`` (S049, S051); that to a ``QuestionAsk`` is the role's own."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    approved: StrictBool
    reason: str | None = None
    """One line of at most 2,000 characters; reaches the model's text and the record (R33)."""
    override_arguments: dict[str, Any] | None = None
    """Replace the asked arguments whole; only with ``approved=True`` (R24)."""

    @field_validator("reason")
    @classmethod
    def _reason_is_one_line(cls, reason: str | None) -> str | None:
        return None if reason is None else one_line(reason, maximum=MAX_REASON)

    @model_validator(mode="after")
    def _overrides_need_approval(self) -> "ToolCallApprovalDecision":
        if self.override_arguments is not None and not self.approved:
            raise ValueError("override_arguments are allowed only with approved=True")
        return self


class ChannelAnswered(BaseModel, Generic[Arguments]):
    """What a channel's ``answered`` is given: the question it was sent has its answer, and its buttons lead nowhere."""

    model_config = ConfigDict(frozen=True)

    pause_id: str = Field(repr=False)
    channel: str
    value: ToolCallApprovalAsk[Arguments]
    decision: ToolCallApprovalDecision
    """As it was recorded; ``override_arguments`` are masked like ``value.masked_arguments``."""
    responder: str
    """Who answered: what ``app.resume`` was given as ``answered_by`` or ``owner_id``, or the name of the other channel of the
    role that decided at once."""
    acted_on: bool | None
    """Whether the tool's call took the decision; ``None``: it hasn't come to it yet. False: the execution was cancelled, or
    failed, before."""
