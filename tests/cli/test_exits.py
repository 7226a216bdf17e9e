"""Exit codes: one table for all errors."""

import inspect
from pathlib import Path

import pytest

from agboss import errors
from agboss.cli.exits import MEANINGS, Exit, exit_of
from tests.cli.conftest import here

ROOT = Path(__file__).parents[2]
EXPECTED = {
    "agboss": 1,
    "assembly": 2,
    "caller.unknown": 3,
    "config": 2,
    "domain": 1,
    "dto.validation": 2,
    "index": 4,
    "index.missing": 4,
    "index.schema": 4,
    "index.unavailable": 4,
    "limit": 1,
    "limit.budget": 1,
    "model": 1,
    "model.answer": 1,
    "model.rejected": 1,
    "model.unavailable": 1,
    "pause": 3,
    "pause.four-eyes": 3,
    "pause.no-reply-interpreter": 3,
    "pause.record-expired": 1,
    "pause.send-superseded": 3,
    "webhook": 1,
    "webhook.rejected": 1,
    "webhook.undelivered": 1,
    "webhook.unverified": 1,
    "pause.uninterpretable-reply": 3,
    "pause.unknown": 3,
    "pause.wrong-answerer": 3,
    "resume": 1,
    "resume.incompatible": 1,
    "resume.inside-send": 1,
    "run": 1,
    "run.cancelled": 1,
    "run.not-paused": 3,
    "run.owner-required": 2,
    "run.terminated": 1,
    "run.thread-busy": 3,
    "run.thread-owner": 3,
    "run.unknown": 3,
    "run.wait-timeout": 5,
    "step": 1,
    "step.agent": 1,
    "temporal.unavailable": 4,
}


def test_every_error_has_its_exit_code() -> None:
    """Each error of agboss ends with the exit code that is promised for it."""
    classes = [c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, errors.AgbossError)]
    assert {c.code: exit_of(c.code).value for c in classes} == EXPECTED


def test_a_prefix_ends_at_a_dot() -> None:
    """An application's own code that merely begins like one of ours is a flow's failure."""
    assert exit_of("configuration.odd") is Exit.FAILED
    assert exit_of("config.odd") is Exit.USAGE


@pytest.mark.parametrize("code", list(Exit))
def test_exit_codes_are_documented(code: Exit) -> None:
    """`agboss --help` and docs/operating.md tell each exit code with the same words."""
    meaning = MEANINGS[code]
    assert f"{code.value}  {meaning}" in [line.strip() for line in here("--help").out.splitlines()]
    assert f"| {code.value} | {meaning} |" in (ROOT / "docs/operating.md").read_text()
