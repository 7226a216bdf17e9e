"""What a strict type checker says of programs that use the library."""

import json
import re
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(
    file.relative_to(ROOT) for place in ("tests/typing/examples", "docs/examples") for file in ROOT.glob(f"{place}/*.py")
)
MARK = re.compile(r"# E: ([a-z-]+(?:, [a-z-]+)*)$")


def marked(files: list[Path]) -> list[str]:
    """The errors that files expect of themselves: ``# E: code`` at a line's end, or ``# E: code, code``."""
    return sorted(
        f"{file}:{number} {code}"
        for file in files
        for number, line in enumerate((ROOT / file).read_text().splitlines(), start=1)
        for found in MARK.finditer(line)
        for code in found[1].split(", ")
    )


def reported(files: list[Path]) -> list[str]:
    """The errors that ``mypy --strict`` reports, with the project's own settings."""
    output, refused, _ = api.run(["--strict", "--output=json", *map(str, files)])
    assert not refused
    messages = [json.loads(line) for line in output.splitlines()]
    # One call may be wrong in two ways of one kind.
    return sorted({f"{m['file']}:{m['line']} {m['code']}" for m in messages if m["severity"] == "error"})


@pytest.mark.timeout(300)
def test_the_type_checker_says_what_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """S040, S068, S097, S098, S125, S140, S220, S233: each example has exactly the errors it marks, and the documented ones have none."""
    monkeypatch.chdir(ROOT)
    assert len(EXAMPLES) >= 5
    expected = marked(EXAMPLES)
    assert reported(EXAMPLES) == expected
    assert not [error for error in expected if error.startswith("docs")]


def test_the_package_says_that_it_is_typed() -> None:
    """S040, S068: without the marker file a type checker takes nothing of an installed package's types."""
    assert (ROOT / "agboss/py.typed").is_file()
