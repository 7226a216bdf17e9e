"""What a command shows, to people and to programs."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import GOOD, Project, here, module

BROKEN = "from tests.rig import *\nmade = Application(name='broken', workflows=[PayerWorkflow, FreeWorkflow], services=[])\n"


def test_check_tells_all_problems(folder: Path) -> None:
    """`check` prints every problem with its bracketed code and exits with 1; programs get them as a list."""
    name = module(folder, BROKEN)
    shown = here("check", "--application", f"{name}:made")
    document = here("check", "--json", "--application", f"{name}:made")
    assert (shown.code, document.code) == (1, 1)
    problems = document.document["problems"]
    assert {"model.unserved", "service.unknown"} <= {problem["code"] for problem in problems}
    for problem in problems:
        assert f"[{problem['code']}] {problem['where']}: " in shown.out
    assert f"application broken has {len(problems)} problems" in shown.out


def test_other_commands_refuse_a_broken_application(folder: Path) -> None:
    """An application that doesn't fit together is bad input for every other command: 2, with all problems as data."""
    name = module(folder, BROKEN)
    done = here("pending", "--json", "--application", f"{name}:made")
    assert (done.code, done.document["error"]["code"]) == (2, "assembly")
    assert {"model.unserved"} <= {problem["code"] for problem in done.document["error"]["data"]["problems"]}


def test_check_summarises(folder: Path) -> None:
    """A sound application's workflows, agents, tools and channels are listed, with who answers and which need an owner."""
    name = module(folder, GOOD)
    shown = here("check", "--application", f"{name}:made").out
    for text in (
        "StartText → payer-agent → free-agent → FinishText",
        "scripted/one",
        "quick-pay-tool",
        "desk-four-eyes-channel",
    ):
        assert text in shown
    document = here("check", "--json", "--application", f"{name}:made").document
    assert {flow["name"]: flow["needs_owner"] for flow in document["workflows"]}["clerk-workflow"] is True
    assert {flow["name"]: flow["needs_owner"] for flow in document["workflows"]}["payer-workflow"] is False


def test_user_code_that_prints_stays_out_of_the_document(folder: Path) -> None:
    """What an application prints while it is imported goes to stderr when programs read stdout."""
    name = module(folder, "print('loading')\n" + GOOD)
    done = here("check", "--json", "--application", f"{name}:made")
    assert done.document["application"] == "rig"
    assert done.err == "loading\n"


@pytest.mark.parametrize("arguments", [("nothing",), ("run",), ("run", "x", "--timeout", "soon"), ("--nothing",)])
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    """A command that is called wrongly ends with 2 and where to read on; with --json as one document."""
    done = here(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "--help`  (usage)" in done.err
    program = here(*arguments, "--json")
    assert (program.code, program.document["error"]["code"], program.err) == (2, "usage", "")


@pytest.mark.parametrize("text", ["[1]", "3", "null", "{'a': 1}", "", "@nowhere.json"])
def test_an_input_that_is_no_object(folder: Path, text: str) -> None:
    """An input that is no JSON object is refused with 2 before anything is connected."""
    done = here("run", "clerk-workflow", text, "--json")
    assert (done.code, done.document["error"]["code"]) == (2, "dto.validation")


def test_errors_show_what_hides(folder: Path) -> None:
    """Control and direction characters in a text that an error repeats are shown by their code points."""
    name = module(folder, "raise ValueError('\\x1b[31mred\\u202eder')\n")
    done = here("check", "--application", f"{name}:made")
    assert "⟨U+001B⟩[31mred⟨U+202E⟩der" in done.err
    assert "\x1b" not in done.err


def test_a_fault_of_our_own_is_one_document_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected exception has its traceback on stderr, and programs still get a document."""

    def broken(*_: object) -> None:
        raise KeyError("odd")

    monkeypatch.setattr("agboss.cli.check.assemble", broken)
    name = module(folder, GOOD)
    done = here("check", "--json", "--application", f"{name}:made")
    assert (done.code, done.document["error"]["code"]) == (1, "internal")
    assert "Traceback" in done.err


def test_an_interrupted_wait(project: Project) -> None:
    """Ctrl-C while a run waits ends with 130, and says on which thread the execution goes on."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agboss.cli", "run", "payer-workflow", '{"text": "x"}', "--thread", "t1", "--json"],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "payer-workflow runs on thread t1 …\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    error = json.loads(out)["error"]
    assert (process.returncode, error["code"]) == (130, "interrupted")
    assert "'t1'" in error["message"]


def test_without_typer() -> None:
    """Without the extra one line names it, and the exit code is 2."""
    program = "import sys; sys.modules['typer'] = None; from agboss.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'agboss-temporal[cli]'" in done.stderr
