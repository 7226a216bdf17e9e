"""Which application a command is about."""

from pathlib import Path

import pytest

from tests.cli.conftest import GOOD, Done, here, module


def refused(done: Done, *texts: str) -> None:
    assert done.code == 2
    assert done.out == ""
    assert "Traceback" not in done.err
    for text in texts:
        assert text in done.err


def test_the_nearest_project_file_names_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest pyproject.toml upwards names the application, whose module is in that file's folder."""
    name = module(folder, GOOD)
    (folder / "pyproject.toml").write_text(f'[tool.agboss]\napplication = "{name}:made"\n')
    (folder / "deep" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(folder / "deep" / "deeper")
    done = here("check", "--json")
    assert (done.code, done.document["application"]) == (0, "rig")


def test_the_option_comes_before_the_environment_and_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--application counts before AGBOSS_APPLICATION, and that before pyproject.toml."""
    name = module(folder, GOOD + "other = application(Told(), ScriptedModels(), name='other', services=[Terminal()])\n")
    (folder / "pyproject.toml").write_text('[tool.agboss]\napplication = "nowhere:at_all"\n')
    monkeypatch.setenv("AGBOSS_APPLICATION", f"{name}:other")
    assert here("check", "--json").document["application"] == "other"
    assert here("check", "--json", "--application", f"{name}:made").document["application"] == "rig"


def test_without_a_project_file(folder: Path) -> None:
    """Without any pyproject.toml the error says where it was looked for and what to give instead."""
    refused(here("check"), f"no pyproject.toml in {folder} or above it", "--application")


@pytest.mark.parametrize("text", ["", "tool = 1", "[tool.agboss]\n", "[tool.agboss]\napplication = 3\n"])
def test_a_project_file_that_names_none(folder: Path, text: str) -> None:
    """A pyproject.toml without the key is named, with the lines to add."""
    (folder / "pyproject.toml").write_text(text)
    refused(here("check"), str(folder / "pyproject.toml"), "[tool.agboss]\n", 'application = "module:name"')


def test_a_project_file_that_is_no_toml(folder: Path) -> None:
    """A broken pyproject.toml is named, with the fault's line."""
    (folder / "pyproject.toml").write_text("[tool\n")
    refused(here("check"), str(folder / "pyproject.toml"), "line 1")


@pytest.mark.parametrize("named", ["shop", ":shop", "shop:", "shop:a b", ""])
def test_a_name_of_another_form(folder: Path, named: str) -> None:
    """A name that isn't module:name is shown with the form it needs."""
    refused(here("check", "--application", named), "names no application", "application:office")


def test_a_module_that_is_not_there(folder: Path) -> None:
    """A missing module is told apart from one that is there and imports a missing one."""
    refused(here("check", "--application", "not_there_7:x"), "no module 'not_there_7'", str(folder))
    name = module(folder, "import os\n\nimport not_there_8\n")
    done = here("check", "--application", f"{name}:x")
    refused(done, f"module '{name}' failed while it was imported", f"{name}.py:3: import not_there_8")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def f():\n    return 1 / 0\n\nf()\n", "py:2: return 1 / 0\n  ZeroDivisionError: division by zero"),
        ("made = (\n", "py:1\n  SyntaxError:"),
        ("import json\njson.loads('{')\n", "py:2: json.loads('{')\n  JSONDecodeError:"),
        ("raise SystemExit(3)\n", "py:1: raise SystemExit(3)\n  SystemExit: 3"),
    ],
)
def test_a_module_that_fails(folder: Path, text: str, told: str) -> None:
    """What the user's module raises is told with the user's own line, whatever library raised it."""
    name = module(folder, text)
    refused(here("check", "--application", f"{name}:made"), told)


def test_a_name_that_the_module_has_not(folder: Path) -> None:
    """A missing attribute is told with the applications that the module does have."""
    name = module(folder, GOOD)
    refused(here("check", "--application", f"{name}:office"), "'office'", "its applications: made")


def test_something_that_is_no_application(folder: Path) -> None:
    """An attribute that is something else is told with its type."""
    name = module(folder, "office = {}\n")
    refused(here("check", "--application", f"{name}:office"), "a dict and no agboss.Application")


def test_errors_for_programs(folder: Path) -> None:
    """With --json the same error is one document on stdout, and stderr is empty."""
    done = here("check", "--json", "--application", "not_there_9:x")
    assert (done.code, done.err) == (2, "")
    assert done.document["error"]["code"] == "config"
    assert "not_there_9" in done.document["error"]["message"]
    assert done.document["error"]["data"] == {}
