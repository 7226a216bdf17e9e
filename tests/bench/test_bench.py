"""The benchmark's smoke run, as `make bench` runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KEYS = (
    "gate.latency_ratio_c1",
    "gate.latency_ratio_c1_at_once",
    "gate.latency_ms",
    "gate.latency_by_hand_ms",
    "gate.throughput_ratio_c32",
    "gate.throughput_per_s",
    "gate.throughput_by_hand_per_s",
    "gate.cpu_ratio_c32",
    "gate.process_cpu_ms",
    "gate.process_cpu_by_hand_ms",
    "gate.server_cpu_ms",
    "gate.server_cpu_by_hand_ms",
    "gate.events",
    "gate.events_by_hand",
    "gate.history_bytes",
    "gate.history_bytes_by_hand",
    "gate.activities",
    "gate.activities_by_hand",
    "resume_nowait_p50_ms",
    "resume_nowait_signal_p50_ms",
    "answers_per_s",
    "parked_kb",
    "kill_to_answer_s",
    "sandbox_instance_ms",
    "sandbox_instance_by_hand_ms",
    "machine.cores",
    "machine.fsync_ms",
)


@pytest.mark.timeout(150)
def test_every_value_is_measured(tmp_path: Path) -> None:
    """A quick run ends well, shows each value in its table and writes it, above zero; a gate has the four activities that it
    needs, as by hand; nothing tells where it ran."""
    out = tmp_path / "out.json"
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--quick", "--out", str(out)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=140,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert [key for key in KEYS if not found.get(key, 0) > 0] == []
    assert [key for key in KEYS if not key.startswith("machine.") and key not in done.stdout] == []
    assert (found["gate.activities"], found["gate.activities_by_hand"]) == (4, 4)
    assert str(ROOT) not in out.read_text() + done.stdout
