"""The architecture, held by tests."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "agboss"
FILES = sorted(PACKAGE.rglob("*.py"))
UNREPEATABLE = {"random", "uuid", "secrets", "time", "os", "socket", "subprocess", "threading", "pathlib", "logging"}
"""Modules that a workflow's replay would see differently."""
BANNED = {"timeout", "wait_for", "TaskGroup", "wait", "as_completed"}


def imports(file: Path) -> set[str]:
    """Modules a file imports when it runs."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


def below(folder: str) -> list[Path]:
    return [file for file in FILES if file.is_relative_to(PACKAGE / folder)]


@pytest.mark.parametrize(
    ("folder", "barred"),
    [
        (
            "domain",
            ("agboss.decisions", "agboss.declare", "agboss.ports", "agboss.assembly", "agboss.stores", "agboss.temporal"),
        ),
        (
            "decisions",
            ("agboss.ports", "agboss.declare", "agboss.assembly", "agboss.stores", "agboss.temporal", "temporalio"),
        ),
        (
            "declare",
            ("agboss.assembly", "agboss.stores", "agboss.temporal", "agboss.models", "agboss.channels", "temporalio"),
        ),
        ("assembly", ("agboss.stores", "agboss.temporal", "agboss.models", "agboss.channels", "temporalio")),
        ("stores", ("agboss.temporal", "agboss.assembly", "agboss.declare", "agboss.models", "temporalio")),
        ("temporal/workflow", ("agboss.ports", "agboss.stores", "agboss.declare", "agboss.assembly", "agboss.models")),
        ("temporal/activities", ("agboss.stores", "agboss.models", "agboss.channels")),
        (
            "web",
            (
                "agboss.stores",
                "agboss.temporal",
                "agboss.assembly",
                "agboss.models",
                "agboss.channels",
                "temporalio",
                "sqlalchemy",
            ),
        ),
    ],
)
def test_imports_go_one_way(folder: str, barred: tuple[str, ...]) -> None:
    """Vocabulary below decisions below declarations below assembly; the workflow side knows no port, adapter or user code."""
    assert below(folder)
    wrong = [(file.name, name) for file in below(folder) for name in imports(file) if name.startswith(barred)]
    assert wrong == []


def test_nothing_knows_the_command_line() -> None:
    """The command line is on top: nothing imports it, so that the library works without typer and rich."""
    others = [file for file in FILES if not file.is_relative_to(PACKAGE / "cli")]
    wrong = [
        (file.name, name) for file in others for name in imports(file) if name.startswith(("agboss.cli", "typer", "rich"))
    ]
    assert wrong == []


def test_the_command_line_goes_through_the_facade() -> None:
    """It opens no store and speaks to no Temporal itself, and each of its files is under 250 lines."""
    for file in below("cli"):
        assert not {
            name for name in imports(file) if name.startswith(("temporalio", "agboss.temporal", "agboss.stores.sqlite"))
        }
        assert len(file.read_text().splitlines()) < 250, file


def test_nothing_knows_the_web() -> None:
    """The library works without fastapi and uvicorn: only the command line imports the HTTP interface, within its functions."""
    servers = ("agboss.web", "fastapi", "starlette", "uvicorn")
    others = [file for file in FILES if not file.is_relative_to(PACKAGE / "web")]
    knowing = {file for file in others if any(name.startswith(servers) for name in imports(file))}
    assert {file.relative_to(PACKAGE).as_posix() for file in knowing} == {"cli/web.py", "cli/callers.py"}
    for file in knowing:
        for node in ast.parse(file.read_text()).body:
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.startswith(servers) for name in named), (file, named)


def test_web_files_have_one_idea() -> None:
    """Each is under 250 lines, and secrets work without any server installed."""
    for file in below("web"):
        assert len(file.read_text().splitlines()) < 250, file
    assert not {name for name in imports(PACKAGE / "web/secrets.py") if name.startswith(("fastapi", "starlette", "uvicorn"))}
    assert imports(PACKAGE / "web/__init__.py") == set()


def test_workflow_code_uses_nothing_that_breaks_replay() -> None:
    """Only the three adapter files know Temporal; no asyncio helper that iterates sets, no clock, no random number, no file, no
    set literal: the sandbox lets the engine through, so this test is the guard."""
    for file in [*below("temporal/workflow"), *below("decisions")]:
        if file.name not in ("execution.py", "reading.py", "temporal_steps.py"):
            assert not any(name.startswith("temporalio") for name in imports(file)), file
        assert not UNREPEATABLE & {name.partition(".")[0] for name in imports(file)}, file
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "asyncio":
                assert node.attr not in BANNED, (file, node.attr)
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("now", "utcnow", "today"), (file, node.attr)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("open", "input", "id", "hash"), (file, node.func.id)
            assert not isinstance(node, ast.Set | ast.SetComp), file


def test_files_have_one_idea() -> None:
    """Files stay under 420 lines, but for the index's contract, which is one page; the median under 130."""
    lengths = {file: len(file.read_text().splitlines()) for file in FILES if file.name != "__init__.py"}
    long = {file.name for file, lines in lengths.items() if lines > 420}
    assert long <= {"pause_index.py"}
    assert sorted(lengths.values())[len(lengths) // 2] <= 130
