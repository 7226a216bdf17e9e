"""The command line on a real server, with a worker in a process of its own."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import NOWHERE, Project, make_project
from tests.rig import call, script

pytestmark = pytest.mark.timeout(150)
PAY = json.dumps({"text": script([call("pay-tool", amount=10)], "paid")})
ACME = ("--tenant", "acme")
SOON = ("--timeout", "40")


def test_a_pause_from_run_to_its_answer(project: Project) -> None:
    """A run pauses with exit 0 and is listed without its id; answered by the id on stdin it finishes; a second answer is
    refused with 3, and so is a made-up id."""
    with project.serving("worker") as worker:
        paused = project.run("run", "payer-workflow", PAY, "--json", "--thread", "t1", *ACME, *SOON)
        assert (paused.code, paused.document["status"], paused.document["thread_id"]) == (0, "paused", "t1")
        listed = project.run("pending", *ACME, "--json").document["pending"]
        assert [(pause["thread_id"], pause["pause_id"], pause["ask"]["tool"]) for pause in listed] == [
            ("t1", None, "pay-tool")
        ]
        shown = project.run("pending", *ACME)
        (pause_id,) = project.sent()
        wrong = project.run("answer", "--approve", "--owner", "customer-1", *ACME, "--json", input=pause_id)
        assert (wrong.code, wrong.document["error"]["code"]) == (3, "pause.wrong-answerer")
        answer = ("answer", "--approve", "--as", "manager-17", *ACME)
        done = project.run(*answer, "--record", "--json", *SOON, input=f"{pause_id}\nmore\n")
        assert (done.code, done.document["output"], done.document["delivered"]) == (0, {"text": "paid"}, True)
        assert done.document["record"]["pauses"][0]["responder"] == "manager-17"
        again = project.run(*answer, input=pause_id)
        assert (again.code, again.out) == (3, "")
        assert "run.not-paused" in again.err
        unknown = project.run(*answer, "--json", input="made-up")
        assert (unknown.code, unknown.document["error"]["code"]) == (3, "pause.unknown")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(30) == 0
        assert worker.stdout is not None
        said = [worker.stdout.read(), (project.folder / "serving.err").read_text()]
    everything = [paused, shown, wrong, done, again, unknown]
    assert said[1].endswith("worker ended\n")
    assert not any(pause_id in text for text in said)
    assert not any(pause_id in text for ended in everything for text in (ended.out, ended.err))
    assert "pay-tool: amount=10" in shown.out


def test_an_owner_sees_and_answers_the_own_pauses(project: Project) -> None:
    """The owner's view has the ids, and the owner answers with an override from a file; a flow that can ask its owner isn't run
    without one; a text that would turn the line around is shown by its code points."""
    turned = script([call("publish-tool", text="pay\u202eyap")], "published")
    text = json.dumps({"text": turned})
    with project.serving("worker"):
        without = project.run("run", "clerk-workflow", text, "--json")
        assert (without.code, without.document["error"]["code"]) == (2, "run.owner-required")
        shown = project.run("run", "clerk-workflow", "-", "--owner", "customer-1", *SOON, input=text)
        assert "paused" in shown.out
        assert "pay⟨U+202E⟩yap" in shown.out
        assert "\u202e" not in shown.out + project.run("pending", "--json").out
        foreign = project.run("pending", "--json")
        (mine,) = project.run("pending", "--owner", "customer-1", "--json").document["pending"]
        assert [pause["pause_id"] for pause in foreign.document["pending"]] == [None]
        assert mine["pause_id"] in project.run("pending", "--owner", "customer-1").out
        (project.folder / "better.json").write_text('{"text": "better"}')
        done = project.run(
            *(
                "answer",
                "--approve",
                "--owner",
                "customer-1",
                "--override",
                "@better.json",
                "--reason",
                "shorter",
                "--record",
            ),
            *("--json", *SOON),
            input=mine["pause_id"],
        )
    assert done.document["output"] == {"text": "published"}
    decision = done.document["record"]["pauses"][0]["decision"]
    assert (decision["reason"], decision["override_arguments"]) == ("shorter", {"text": "better"})


def test_cancelling_and_failing(project: Project) -> None:
    """A busy thread is refused with 3 until it is cancelled; cancelling again does nothing and is no error; a flow that fails
    ends with 1 and tells why."""
    with project.serving("worker", "--json"):
        run = ("run", "payer-workflow", PAY, "--thread", "t1", "--json")
        assert project.run(*run).document["status"] == "paused"
        busy = project.run(*run)
        assert (busy.code, busy.document["error"]["code"]) == (3, "run.thread-busy")
        first = project.run("cancel", "t1", "--by", "operator-1", "--json")
        assert (first.code, first.document) == (0, {"thread_id": "t1", "cancelled": True})
        again = project.run("cancel", "t1")
        assert (again.code, again.out) == (0, "thread t1: nothing runs or waits on it\n")
        failed = project.run("run", "receipt-workflow", json.dumps({"text": script("this is no receipt")}))
    assert failed.code == 1
    assert failed.err.count("gave no valid answer for 'Receipt'") == 1


def test_a_wait_that_ends_loses_nothing(project: Project) -> None:
    """Without any worker a wait times out with 5; --no-wait doesn't wait; both executions are there for a worker later."""
    late = project.run("run", "payer-workflow", PAY, "--timeout", "0.2", "--thread", "t1", "--json")
    assert (late.code, late.document["error"]["code"], late.document["error"]["data"]["thread_id"]) == (
        5,
        "run.wait-timeout",
        "t1",
    )
    started = project.run("run", "payer-workflow", PAY, "--no-wait", "--thread", "t2", "--json")
    assert (started.code, started.document["status"]) == (0, "running")
    with project.serving("worker"):
        for thread in ("t1", "t2"):
            assert project.run("run", "payer-workflow", PAY, "--thread", thread).code == 3


def test_temporal_away(project: Project) -> None:
    """With Temporal away nothing is run, with 4 and the address; an answer and a cancel are recorded all the same."""
    with project.serving("worker"):
        for thread in ("t1", "t2"):
            assert project.run("run", "payer-workflow", PAY, "--thread", thread, *SOON).code == 0
    away = {"AGBOSS_TEMPORAL_ADDRESS": NOWHERE}
    run = project.run("run", "payer-workflow", PAY, **away)
    assert (run.code, run.out) == (4, "")
    assert NOWHERE in run.err
    assert "Traceback" not in run.err
    worker = project.run("worker", "--json", **away)
    assert (worker.code, worker.document["error"]["code"]) == (4, "temporal.unavailable")
    answered = project.run(*("answer", "--reject", "--as", "me", "--no-wait", "--json"), input=project.sent()[0], **away)
    assert (answered.code, answered.document["delivered"]) == (0, False)
    assert "will be delivered by the sweep" in answered.err
    assert project.run("answer", "--reject", "--as", "me", input=project.sent()[0], **away).code == 3
    assert project.run("cancel", "t2", "--json", **away).document["cancelled"] is True
    assert project.run("pending", "--json", **away).document == {"pending": []}
    swept = project.run("sweep", "--json", **away)
    assert (swept.code, swept.document["leased"]) == (0, True)


def test_no_index_yet(project: Project) -> None:
    """Without an index every command that needs one ends with 4 and names `agboss migrate`; migrating twice is fine."""
    fresh = {"AGBOSS_INDEX": "sqlite:///fresh/index.db"}
    missing = project.run("pending", "--json", **fresh)
    assert (missing.code, missing.document["error"]["code"]) == (4, "index.missing")
    assert "agboss migrate" in missing.document["error"]["message"]
    for _ in range(2):
        made = project.run("migrate", "--json", **fresh)
        assert made.document == {"index": str(project.folder / "fresh/index.db")}
    assert project.run("pending", **fresh).out == "Nothing waits for an answer.\n"
    assert project.run("migrate", AGBOSS_INDEX="memory:").code == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_dev_ends_cleanly(tmp_path_factory: pytest.TempPathFactory, number: signal.Signals) -> None:
    """`agboss dev` migrates, serves and tells the page's address; a signal ends worker and server with exit code 0."""
    from agboss.devserver.process import _taken, free_port

    port, ui = free_port(), free_port()
    project = make_project(tmp_path_factory.mktemp("dev"), f"127.0.0.1:{port}")
    (project.folder / ".data/agboss.db").unlink()
    (project.folder / "temporal-dev.yaml").write_text(f"port: {port}\nui_port: {ui}\n")
    with project.serving("dev") as dev:
        assert project.run("run", "payer-workflow", PAY, "--json", *SOON).document["status"] == "paused"
        assert _taken("127.0.0.1", port)
        taken = project.run("dev", "--json")
        assert (taken.code, taken.document["error"]["code"]) == (2, "config")
        dev.send_signal(number)
        assert dev.wait(40) == 0
    assert not _taken("127.0.0.1", port)
    assert not _taken("127.0.0.1", ui)


def test_a_second_signal_ends_a_worker_at_once(project: Project) -> None:
    """A worker lets the tool that runs end first; a second Ctrl-C ends it at once with 130, and another worker runs it again."""
    (project.folder / "block-run").touch()
    text = json.dumps({"text": script([call("free-tool", text="x")], "free")})

    def runs(count: int) -> bool:
        file = project.folder / "ran"
        return file.exists() and len(file.read_text().split()) >= count

    def until(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def told() -> bool:
        return "ending: steps that run may end first" in (project.folder / "serving.err").read_text()

    with project.serving("worker") as worker:
        assert project.run("run", "free-workflow", text, "--no-wait", "--thread", "t1").code == 0
        until(lambda: runs(1))
        worker.send_signal(signal.SIGINT)
        until(told)
        assert worker.poll() is None
        worker.send_signal(signal.SIGINT)
        assert worker.wait(10) == 130
    (project.folder / "block-run").unlink()
    with project.serving("worker"):
        until(lambda: runs(2))
        until(lambda: project.run("cancel", "t1", "--json").document == {"thread_id": "t1", "cancelled": False})
    assert len(set((project.folder / "ran").read_text().split())) == 1


def test_dev_tells_that_its_server_died(tmp_path: Path) -> None:
    """`agboss dev` whose server ends ends too, with 4; its document stays the only one."""
    from agboss.devserver.process import free_port

    port = free_port()
    project = make_project(tmp_path, f"127.0.0.1:{port}")
    (project.folder / "temporal-dev.yaml").write_text(f"port: {port}\nui_port: null\n")
    with project.serving("dev", "--json") as dev:
        children = Path(f"/proc/{dev.pid}/task/{dev.pid}/children").read_text().split()
        assert len(children) == 1
        os.kill(int(children[0]), signal.SIGKILL)
        assert dev.wait(50) == 4
        assert dev.stdout is not None
        assert dev.stdout.read() == ""
    assert "the development server has ended" in (project.folder / "serving.err").read_text()
