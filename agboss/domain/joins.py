"""What a join gives: each branch with what became of it, in the order of the launch, never in that of time."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from agboss.domain.failures import FailureRecord


class BranchOutcome(StrEnum):
    """What became of a branch."""

    FINISHED = "finished"
    FAILED = "failed"
    DROPPED = "dropped"
    """Nobody needed it any more: the quorum was decided without it."""


class BranchResult(BaseModel):
    """One branch of a launch, as the step after its join reads it."""

    model_config = ConfigDict(frozen=True)

    branch: str
    """The component's name, numbered where it occurs again."""
    item_index: int | None = None
    """Of a per-item launch."""
    outcome: BranchOutcome
    output: dict[str, Any] | None = None
    """Of a finished one."""
    failure: FailureRecord | None = None
    """Of a failed one."""
    counted: bool = True
    """Whether the join's arbiter let a finished one count; false for all others."""


class JoinResult(BaseModel):
    """The output of a launch and its join: the input of the step after it."""

    model_config = ConfigDict(frozen=True)

    branches: list[BranchResult]
    group: str | None = None
    """The group that decided a quorum of groups."""

    @property
    def counted(self) -> list[BranchResult]:
        """The finished branches whose answers count."""
        return [one for one in self.branches if one.counted and one.outcome is BranchOutcome.FINISHED]


class FailedStep(BaseModel):
    """The input of an error handler's first step."""

    model_config = ConfigDict(frozen=True)

    error: FailureRecord
    input: dict[str, Any]
    """What the failed step was given."""
