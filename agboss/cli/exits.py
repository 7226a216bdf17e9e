"""Exit codes, and which error ends with which: one table, shown by ``agboss --help`` and in docs/operating.md."""

from enum import IntEnum
from typing import NamedTuple


class Exit(IntEnum):
    """What the process ends with."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    UNAVAILABLE = 4
    TIMED_OUT = 5
    INTERRUPTED = 130


MEANINGS = {
    Exit.DONE: "done; a flow that pauses is done too",
    Exit.FAILED: "problems found, or the flow failed or was cancelled",
    Exit.USAGE: "usage, input or configuration is wrong; nothing was done",
    Exit.REFUSED: "refused: not paused, unknown pause, thread busy, wrong answerer",
    Exit.UNAVAILABLE: "Temporal or the pause index is unavailable",
    Exit.TIMED_OUT: "the wait timed out; nothing is lost",
    Exit.INTERRUPTED: "interrupted",
}


class _Row(NamedTuple):
    prefix: str
    exit: Exit


_TABLE = (
    _Row("dto.validation", Exit.USAGE),
    _Row("assembly", Exit.USAGE),
    _Row("config", Exit.USAGE),
    _Row("usage", Exit.USAGE),
    _Row("run.owner-required", Exit.USAGE),
    _Row("pause.record-expired", Exit.FAILED),
    _Row("pause", Exit.REFUSED),
    _Row("caller.unknown", Exit.REFUSED),
    _Row("run.unknown", Exit.REFUSED),
    _Row("run.not-paused", Exit.REFUSED),
    _Row("run.thread-owner", Exit.REFUSED),
    _Row("run.thread-busy", Exit.REFUSED),
    _Row("run.wait-timeout", Exit.TIMED_OUT),
    _Row("index", Exit.UNAVAILABLE),
    _Row("temporal", Exit.UNAVAILABLE),
    _Row("interrupted", Exit.INTERRUPTED),
)
"""Prefixes of error codes; the first that fits counts. What isn't here is a flow's own failure."""


def exit_of(code: str) -> Exit:
    """The exit code of an error's dotted code."""
    for row in _TABLE:
        if code == row.prefix or code.startswith(row.prefix + "."):
            return row.exit
    return Exit.FAILED
