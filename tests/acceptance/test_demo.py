"""The demo, as a newcomer runs it."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from agboss.testing.openai_server import openai_server
from application import scripted

ROOT = Path(__file__).parents[2]


def folder_of(tmp_path: Path) -> Path:
    (tmp_path / "temporal-dev.yaml").write_text((ROOT / "temporal-dev.yaml").read_text())
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "TYPESAFE_"))}
    return plain | {"PYTHONPATH": str(ROOT)} | more


def demo(folder: Path, *arguments: str, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / "demo.py"), *arguments],
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=55,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def demo_in_a_terminal(folder: Path, *arguments: str, typed: str) -> str:
    """The demo with a terminal of its own, in which somebody types; gives all that the terminal shows."""
    master, slave = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "demo.py"), *arguments],
            cwd=folder,
            env=environment(),
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        os.close(slave)
        os.write(master, typed.encode())
        shown, _ = process.communicate(timeout=55)
    finally:
        os.close(master)
    assert process.returncode == 0, shown
    return shown


def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    """The refund pauses, is approved without a terminal, is booked once, and everything ends cleanly."""
    shown = demo(folder_of(tmp_path))
    assert "The execution is paused: refund-tool: order_id=A-17, amount=50.00, card=••••••" in shown
    assert "The company's ledger has [('refund', 'A-17', '50.00')]" in shown
    assert "4111" not in shown
    assert shown.rstrip().endswith("Worker and server have ended.")


def test_a_manager_rejects_in_the_terminal(tmp_path: Path) -> None:
    """What is typed decides: after a no there is nothing in the ledger."""
    shown = demo_in_a_terminal(folder_of(tmp_path), typed="n\n")
    assert "Refund order A-17, 50.00 (acme)? [y/n]" in shown
    assert "the refund was not approved" in shown
    assert "The company's ledger has []" in shown


def test_two_approvals_in_the_terminal(tmp_path: Path) -> None:
    """S010: two approvals wait at once, both are shown and answered in the terminal, and the workflow finishes; only what
    was approved is done."""
    shown = demo_in_a_terminal(folder_of(tmp_path), "approvals", typed="y\nn\n")
    assert "Tool publish-tool asks for approval" in shown and "Tool delete-tool asks for approval" in shown
    assert "The execution is paused, 2 waiting for an answer" in shown
    assert "The execution is paused, 1 waiting for an answer" in shown
    assert "4. The execution is finished." in shown
    assert "The company's ledger has [('publish', 'Prices 2027', '')]" in shown


def test_the_demo_uses_the_endpoint_it_is_given(tmp_path: Path) -> None:
    """With OPENAI_BASE_URL and OPENAI_API_KEY set, the model is asked there, over HTTP."""
    with openai_server(scripted()) as endpoint:
        shown = demo(folder_of(tmp_path), OPENAI_BASE_URL=endpoint.base_url, OPENAI_API_KEY="sk-local-test")
    assert "The company's ledger has [('refund', 'A-17', '50.00')]" in shown
    assert endpoint.answered == 2
    assert f"at {endpoint.base_url.split('/')[2]}" in shown
    assert "sk-local-test" not in shown


def test_replies_in_free_text(tmp_path: Path) -> None:
    """S118, S120: a button's value and a clerk's words are read, and both things are done."""
    shown = demo(folder_of(tmp_path), "office")
    assert "The execution is paused, 2 waiting for an answer" in shown
    assert "4. The execution is finished." in shown
    assert "Recorded: clerk-3 decided {'approved': True}" in shown
    assert "('deposit', 'L-7', '')" in shown and "('expense', 'pens', '')" in shown
