"""Free-text answers: what an interpreter is given, what it gives, and how a model is shown both."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

Ask = TypeVar("Ask")
Decision = TypeVar("Decision", covariant=True)
Given = TypeVar("Given")

MAX_REPLY = 200_000
"""Characters of a reply: a long mail thread, and far below what a model or a database chokes on."""
_ASK = "### ask\n"
_REPLY = "\n\n### reply\n"


class DecidedBy(StrEnum):
    """What reads a reply."""

    MODEL = "model"
    """A chat model, or a decision model (yes or no)."""
    CODE = "code"
    """The interpreter's own ``interpret``."""


@dataclass(frozen=True, slots=True)
class ReplyInput(Generic[Ask]):
    """What an interpreter by code is given (S070): ``ReplyInput[ToolCallApprovalAsk[RefundInput]]``."""

    ask: Ask
    """The question, as it was asked."""
    reply: str
    """The person's words, as they came (S065)."""


@dataclass(frozen=True, slots=True)
class ReplyInterpretation(Generic[Decision]):
    """What ``interpret`` returns. Make one with ``understood(…)`` or ``not_understood(reason=…)``."""

    @staticmethod
    def understood(decision: "Given | Mapping[str, Any]") -> "ReplyInterpretation[Given]":
        """The reply answers the question with this; it is validated like any decision (S095)."""
        return Understood(decision)

    @staticmethod
    def not_understood(*, reason: str) -> "ReplyInterpretation[Any]":
        """The reply can't be read; the pause keeps waiting, and whoever passed the reply is told ``reason`` (S096)."""
        return NotUnderstood(reason)


@dataclass(frozen=True, slots=True)
class Understood(ReplyInterpretation[Decision]):
    """An answer, not validated yet."""

    decision: Any


@dataclass(frozen=True, slots=True)
class NotUnderstood(ReplyInterpretation[Any]):
    """No answer."""

    reason: str


def message_of(ask: Mapping[str, Any], reply: str) -> str:
    """The one message that a model is sent (S076). The question is JSON on one line, so the first ``### reply`` line is ours,
    whatever the reply says."""
    return f"{_ASK}{json.dumps(ask, ensure_ascii=False)}{_REPLY}{reply}"


def reply_in(message: str) -> str | None:
    """The reply of a ``message_of``; ``None`` where the text is none."""
    if not message.startswith(_ASK):
        return None
    _, found, reply = message.partition(_REPLY)
    return reply if found else None
