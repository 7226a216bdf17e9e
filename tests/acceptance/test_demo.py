"""The demo, as a newcomer runs it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    """The refund pauses, is approved without a terminal, is booked once, and everything ends cleanly."""
    (tmp_path / "temporal-dev.yaml").write_text((ROOT / "temporal-dev.yaml").read_text())
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(ROOT / "demo.py")],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    assert "The execution is paused: refund-tool: order_id=A-17, amount=50.00, card=••••••" in done.stdout
    assert "The company's ledger has 1 refund(s): [('A-17', '50.00')]" in done.stdout
    assert "4111" not in done.stdout
    assert done.stdout.rstrip().endswith("Worker and server have ended.")
