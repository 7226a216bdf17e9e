"""An event loop that does nothing by itself: who owns it drains it, and its clock is the world's."""

import asyncio
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any


class SimLoop(asyncio.AbstractEventLoop):
    """What tasks, futures and ``asyncio.timeout`` need of a loop, in strict order of calls."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self._clock = clock
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._made = 0
        self.errors: list[BaseException] = []
        """What ended a task and nobody asked for."""

    def drain(self) -> None:
        """Run until nothing is ready."""
        before = events._get_running_loop()
        events._set_running_loop(self)
        try:
            while self._ready:
                handle = self._ready.popleft()
                if not handle.cancelled():
                    handle._run()
        finally:
            events._set_running_loop(before)

    def ring(self) -> None:
        """Make ready whatever timer is due."""
        while self._timers and self._timers[0][0] <= self._clock():
            _, _, timer = heapq.heappop(self._timers)
            if not timer.cancelled():
                self._ready.append(timer)

    # --- what asyncio asks of a loop ---

    def time(self) -> float:
        return self._clock()

    def call_soon(self, callback: Any, *args: Any, context: Context | None = None) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Context | None = None) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Context | None = None) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._made += 1
        heapq.heappush(self._timers, (when, self._made, timer))
        return timer

    def call_later(self, delay: float, callback: Any, *args: Any, context: Context | None = None) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Context | None = None) -> "asyncio.Task[Any]":
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        # A crash leaves tasks that nobody ends; that is what a crash is.
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        return task

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is not None:
            self.errors.append(error)
