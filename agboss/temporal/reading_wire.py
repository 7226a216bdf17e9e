"""The wire of readings: a workflow of the interpreter's name, with one activity. Like all of the wire it carries keys: the
reply, the decision and the reason are in the index."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from agboss.domain.ids import ReadingId, TenantId
from agboss.temporal.wire import Step

READING = "reading"


class Read(BaseModel):
    """Read one reply. Input of the workflow and of its activity; both types are the interpreter's name."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["reading"] = "reading"
    reading: ReadingId
    interpreter: str
    tenant: TenantId
    tool: str
    """Whose call is asked about, for the Temporal UI."""
    timeout_seconds: float


class ReadResult(BaseModel):
    """What became of it; the rest is in the index."""

    model_config = ConfigDict(frozen=True)

    outcome: Literal["answered", "unreadable", "too-late", "gone"]
    """``gone``: the reading was dropped before it began, or is past retention."""
    delivered: bool = True
    """Of ``answered``: the holder was told; else the sweep will."""


AnyStep = Annotated[Step | Read, Field(discriminator="kind")]
