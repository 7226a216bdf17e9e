"""What the hand-written workflow, its activities and its signal say to each other."""

from typing import Literal

from pydantic import BaseModel


class Refund(BaseModel):
    """The tool's input."""

    order_id: str
    amount: int


class Message(BaseModel):
    """One line of the conversation with the model; ``refund`` is the call the model wants, if it wants one."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    refund: Refund | None = None


class Question(BaseModel):
    """What the channel is given: whom to answer, and what it is about."""

    workflow_id: str
    refund: Refund


class Decision(BaseModel):
    """The signal that answers."""

    approved: bool
    answered_by: str
