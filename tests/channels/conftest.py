"""A receiver for each test."""

from collections.abc import Iterator

import pytest

from tests.channels.hooks import Hooks, receiving


@pytest.fixture
def hooks() -> Iterator[Hooks]:
    with receiving() as running:
        yield running
