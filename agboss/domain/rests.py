"""The question "may this holder rest?" and its answer: they cross from the workflow to the index and back."""

from dataclasses import dataclass
from typing import Literal

from agboss.domain.ids import ROOT, ExecutionId, HolderId, Path, PauseKey


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderRef:
    """Which holder of which tree."""

    root: ExecutionId
    holder: HolderId
    parent: HolderId | None = None
    path: Path = ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class RestRequest:
    """What a holder has seen when it finds nothing to do (protocol, T7)."""

    ref: HolderRef
    motion: int
    """The highest number of a movement the holder knows of."""
    confirmed: tuple[HolderRef, ...] = ()
    """Children whose start Temporal has confirmed."""
    closed: tuple[HolderRef, ...] = ()
    """Children whose closure the holder has seen."""
    wanting: int = 0
    """Items of a limited launch that are not started yet."""
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RestAnswer:
    """Whether the holder rests now, and if not, why."""

    accepted: bool
    motion: int
    keys: tuple[PauseKey, ...] = ()
    """Pauses of this holder whose answer is recorded and not taken."""
    unreaped: bool = False
    """A child has ended and its closure was not seen yet."""
    fenced: bool = False
    """The holder is covered by a fence, or ended: it stops itself."""
    free: int = 0
    """Slots of the launch that are free: that many items may start."""
    signal_parent: bool = False
    """The parent wants the slot that this rest frees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """A question whose channel must be told that it closed: what a ``withdraw`` or ``answered`` step needs to know."""

    step_key: str
    pause_key: PauseKey
    channel: str
    implementation: str
    tool: str
    timeout_seconds: float
    kind: Literal["withdraw", "answered"] = "withdraw"
    """How it closed; names the step, and decides nothing."""
