"""A failure as plain data: how an error crosses from worker to workflow to caller without losing its kind."""

from typing import Any

from pydantic import BaseModel, ConfigDict


class FailureRecord(BaseModel):
    """An exception with its whole cause chain."""

    model_config = ConfigDict(frozen=True)

    class_path: str
    """``module:QualifiedName``."""
    ancestors: tuple[str, ...] = ()
    """Class paths of its base classes, nearest first: handlers match subclasses without the class itself."""
    code: str | None
    message: str
    data: dict[str, Any] = {}
    cause: "FailureRecord | None" = None
