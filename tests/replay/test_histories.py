"""Recorded histories replay: what ran under an older version goes on under this one (D10, invariant 6)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_every_recorded_history_replays(seed: str) -> None:
    """In a fresh process, under several hash seeds."""
    assert len(HISTORIES) >= 10
    done = subprocess.run(
        [sys.executable, "-m", "tests.replay.replay", *map(str, HISTORIES)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=50,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [path.stem for path in HISTORIES]
