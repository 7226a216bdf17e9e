"""The names of things: every identifier has its own type, so that none is taken for another."""

from typing import NewType

TenantId = NewType("TenantId", str)
"""Any non-empty text of up to 200 characters (R14)."""
ThreadId = NewType("ThreadId", str)
OwnerId = NewType("OwnerId", str)
"""Who a thread belongs to."""
ExecutionId = NewType("ExecutionId", str)
"""One run of a workflow; a tree is named by its root execution's id."""
HolderId = NewType("HolderId", str)
"""One Temporal workflow of a tree. A root execution's holder has the execution's id."""
Path = NewType("Path", str)
"""A place in a tree: launch segments joined by ``/``; the root's is the empty text."""
ROOT = Path("")
"""The place of the whole tree."""
StepKey = NewType("StepKey", str)
"""Digest that names one step, and the step's idempotency key."""
PauseKey = NewType("PauseKey", str)
"""Digest of a step key: how the outside world names a pause without the right to answer it."""
PauseId = NewType("PauseId", str)
"""128 random bits: the right to answer a pause. It never enters Temporal, logs or errors."""
ReadingId = NewType("ReadingId", str)
"""Digest that names one reading of one reply."""
TurnKey = NewType("TurnKey", str)
"""Digest that names one model turn."""
WorkflowId = NewType("WorkflowId", str)
"""A Temporal workflow id."""
ContentHash = NewType("ContentHash", str)
"""SHA-256 of a blob's bytes, in hex."""
