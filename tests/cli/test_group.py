"""How a flow's failure is told."""

import pytest

from agboss.cli.group import _causes
from agboss.errors import AgentFailedError


@pytest.mark.parametrize(
    ("message", "causes"), [("agent failed: card expired", []), ("agent failed", ["ValueError: card expired"])]
)
def test_a_cause_is_told_once(message: str, causes: list[str]) -> None:
    """The cause of a failure is told, unless the failure's own message has it already."""
    error = AgentFailedError(message)
    error.__cause__ = ValueError("card expired")
    assert _causes(error) == causes
