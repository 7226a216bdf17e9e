"""Running user code: what it sees when its time is over."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import pytest

from agboss.declare.context import CancellationSignal, ExecutionContext, Frame
from agboss.temporal.user_code import UserCode, UserCodeTimeout


class SlowToSet(CancellationSignal):
    """A signal that takes its time to be set: whoever is cut off meanwhile sees it unset."""

    def set(self, reason: str) -> None:
        threading.Event().wait(0.2)
        super().set(reason)


@pytest.fixture
async def user_code() -> AsyncIterator[UserCode]:
    running = UserCode()
    yield running
    await running.close()


def frame() -> Frame:
    return Frame(tenant_id="acme", thread_id="t", owner_id=None, execution_id="e", signal=SlowToSet())


class Hanging:
    """Code that never ends, and what it saw when it was cut off."""

    def __init__(self) -> None:
        self.began, self.ended = threading.Event(), threading.Event()
        self.signalled: bool | None = None

    async def hang(self) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.signalled = ExecutionContext().signal.is_set()
            self.ended.set()

    def hang_later(self) -> Awaitable[None]:
        return self.hang()

    async def saw(self) -> bool | None:
        assert await asyncio.to_thread(self.ended.wait, 10)
        return self.signalled


@pytest.mark.parametrize("function", ["hang", "hang_later"])
async def test_the_signal_comes_before_the_cut_off_at_the_timeout(user_code: UserCode, function: str) -> None:
    """S227: whoever is cut off at the timeout finds the signal set, in async code and in what plain code gave to await."""
    code = Hanging()
    with pytest.raises(UserCodeTimeout):
        await user_code.run(getattr(code, function), frame=frame(), timeout=0.05)
    assert await code.saw() is True


async def test_the_signal_comes_before_the_cut_off_by_a_cancel(user_code: UserCode) -> None:
    """S227: the same for code whose execution was cancelled."""
    code = Hanging()
    running = asyncio.create_task(user_code.run(code.hang, frame=frame(), timeout=10))
    assert await asyncio.to_thread(code.began.wait, 10)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await code.saw() is True


@pytest.mark.parametrize("plain", [False, True])
async def test_a_timeout_error_of_the_code_is_its_own(user_code: UserCode, plain: bool) -> None:
    """Code that raises TimeoutError itself has not used up its time, and its error is not replaced."""

    async def raises() -> None:
        raise TimeoutError("of the endpoint")

    def gives() -> Any:
        return raises()

    given = frame()
    with pytest.raises(TimeoutError, match="of the endpoint"):
        await user_code.run(gives if plain else raises, frame=given, timeout=10)
    assert not given.signal.is_set()
