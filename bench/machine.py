"""What the numbers were measured on, without naming it."""

import os
import platform
import sqlite3
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

Facts = dict[str, str | float]


def machine_facts(folder: Path) -> Facts:
    """Cores, versions, and what it costs to bring 4 kB to the disk of ``folder``."""
    return {
        "machine.cores": os.cpu_count() or 0,
        "machine.python": platform.python_version(),
        "machine.temporalio": version("temporalio"),
        "machine.pydantic": version("pydantic"),
        "machine.sqlite": sqlite3.sqlite_version,
        "machine.fsync_ms": _fsync_milliseconds(folder),
    }


def _fsync_milliseconds(folder: Path) -> float:
    """Median of appends that are brought to the disk, each alone."""
    samples = []
    with (folder / "fsync").open("ab", buffering=0) as file:
        for _ in range(50):
            began = time.perf_counter()
            file.write(b"\0" * 4096)
            os.fsync(file.fileno())
            samples.append(1e3 * (time.perf_counter() - began))
    return median(samples)
