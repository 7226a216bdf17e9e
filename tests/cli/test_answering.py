"""How an answer is given: the id never as an argument, the decision by option or at a prompt."""

import os
import pty
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import GOOD, Done, Project, here, module

PAUSE_ID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    "arguments",
    [
        (PAUSE_ID, "--approve", "--as", "me"),
        ("--approve", "--as", "me", PAUSE_ID, "--json"),
        ("--approve", "--as", "me", "--", PAUSE_ID),
        ("--pause-id", PAUSE_ID, "--approve", "--as", "me"),
        (f"--id={PAUSE_ID}", "--approve", "--as", "me", "--json"),
        (PAUSE_ID,),
    ],
)
def test_an_id_is_no_argument(arguments: tuple[str, ...]) -> None:
    """An id given as an argument or option is refused with 2 and is not repeated; as an argument the reason is told."""
    done = here("answer", *arguments)
    assert done.code == 2
    assert PAUSE_ID not in done.out + done.err
    if not any(argument.startswith(("--id", "--pause-id")) for argument in arguments):
        assert "history" in done.out + done.err
        assert "first line of stdin" in done.out + done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--approve",), "exactly one of --as NAME"),
        (("--approve", "--as", "me", "--owner", "me"), "exactly one of --as NAME"),
        (("--as", "me"), "give --approve, --reject, --answer or --reply"),
        (("--answer", "{}", "--approve", "--as", "me"), "--answer is the whole answer"),
        (("--answer", "[4111]", "--as", "me"), "--answer: a JSON object is needed"),
        (("--reject", "--as", "me", "--override", "{}"), "--override goes with --approve"),
        (("--approve", "--as", "me", "--override", "{'card': '4111'}"), "--override: this is no JSON"),
        (("--approve", "--as", "me", "--override", "@nowhere.json"), "'nowhere.json' can't be read"),
        (("--reply", "yes 4111", "--as", "me"), "the reply itself is not taken as an argument"),
        (("--reply", "-", "--approve", "--as", "me"), "--reply is the whole answer"),
        (("--reply", "-", "--reason", "4111", "--as", "me"), "--reply is the whole answer"),
    ],
)
def test_a_request_of_another_shape(arguments: tuple[str, ...], told: str) -> None:
    """Who answers, what, and with which arguments is checked before the id is looked up; values are not repeated."""
    done = here("answer", *arguments, input=PAUSE_ID)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert "4111" not in done.err


def test_no_id_on_stdin(folder: Path) -> None:
    """An empty first line is no id."""
    name = module(folder, GOOD)
    done = here("answer", "--approve", "--as", "me", "--application", f"{name}:made", input=f"\n{PAUSE_ID}\n")
    assert done.code == 2
    assert "no pause id was given" in done.err


def on_a_terminal(project: Project, *arguments: str, typed: list[tuple[str, str]]) -> Done:
    """Run a command on a terminal, and type each text when its prompt is seen."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(project.folder)
        os.execve(sys.executable, [sys.executable, "-m", "agboss.cli", *arguments], project.environment | {"TERM": "xterm"})
    seen, place = b"", 0
    while True:
        try:
            more = os.read(terminal, 4096)
        except OSError:
            break
        if not more:
            break
        seen += more
        if typed and typed[0][0].encode() in seen[place:]:
            place = len(seen)
            os.write(terminal, typed.pop(0)[1].encode())
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    assert typed == []
    return Done(os.waitstatus_to_exitcode(status), seen.decode(), "")


def test_prompts_on_a_terminal(lonely: Project) -> None:
    """On a terminal the id is asked for, and so is the decision, until it is one; both go the way of a piped answer."""
    typed = [("Pause id: ", f"{PAUSE_ID}\n"), ("Approve? [y/n] ", "perhaps\n"), ("Approve? [y/n] ", "n\n")]
    done = on_a_terminal(lonely, "answer", "--as", "me", typed=typed)
    assert done.code == 3
    assert "no pause has this id" in done.out


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 2)])
def test_leaving_a_prompt(lonely: Project, key: str, code: int) -> None:
    """Ctrl-C at a prompt ends with 130, a closed terminal with 2; nothing was done and no traceback is shown."""
    done = on_a_terminal(lonely, "answer", "--approve", "--as", "me", typed=[("Pause id: ", key)])
    assert done.code == code
    assert "Traceback" not in done.out


def test_colours_are_for_terminals(lonely: Project) -> None:
    """A terminal gets colours unless NO_COLOR is set; a pipe never does."""
    coloured = on_a_terminal(lonely, "check", typed=[])
    lonely.environment["NO_COLOR"] = "1"
    plain = on_a_terminal(lonely, "check", typed=[])
    assert "\x1b[1;32m" in coloured.out
    assert "32m" not in plain.out
    lonely.environment.pop("NO_COLOR")
    assert "\x1b" not in lonely.run("check").out
