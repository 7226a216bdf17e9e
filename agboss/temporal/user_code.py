"""Running user code off the worker's loop: heartbeats are tasks on it, and one blocking tool must not make the server
believe that all of them are lost."""

import asyncio
import concurrent.futures
import contextvars
import inspect
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

from agboss.declare.context import Frame, enter
from agboss.errors import AgbossError

_log = logging.getLogger("agboss.user_code")
STUCK_SECONDS = 5.0
"""A loop that hasn't ticked for this long is blocked by somebody's code: new calls go to a fresh one."""
THREADS = 64
"""Plain functions that run at a time; one that never returns keeps its thread and is replaced."""


class UserCodeTimeout(AgbossError):
    """User code took longer than its timeout. It may still run, and its result is dropped."""

    code = "user-code.timeout"


class UserCodeExit(AgbossError):
    """User code raised something that is no ordinary error, like ``SystemExit``."""

    code = "user-code.exit"


class UserCode:
    """Async functions run on a loop of their own, shared, so that clients bound to a loop work; plain ones on threads."""

    def __init__(self, *, threads: int = THREADS, stuck_seconds: float = STUCK_SECONDS) -> None:
        self._stuck_seconds = stuck_seconds
        self._lock = threading.Lock()
        self._loop: _LoopThread | None = None
        self._threads = _Threads(threads)
        self._closed = False

    async def run(self, function: Callable[..., Any], *args: Any, frame: Frame, timeout: float) -> Any:
        """Call ``function`` in ``frame`` and give what it returns or raises.

        At ``timeout`` seconds the frame's signal is set, then an async call is cancelled, and the caller gets its error at once,
        even where the code doesn't listen.

        Raises:
            UserCodeTimeout: its time is over.
            UserCodeExit: it raised what is no ``Exception``.
            Exception: what it raised.
        """
        context = contextvars.copy_context()
        if inspect.iscoroutinefunction(function):
            future = self._ticking_loop().submit(_in_frame(function, args, frame), context)
        else:
            future = self._threads.submit(_call_in_frame, function, args, frame, context)
        running = asyncio.wrap_future(future)
        try:
            # Not wait_for: in Python 3.11 it swallows a cancel that comes together with the result.
            # Shielded: code that is cut off finds its signal set, so the signal comes first.
            async with asyncio.timeout(timeout):
                result = await asyncio.shield(running)
                if inspect.isawaitable(result):
                    # A plain function that gave a coroutine: it is awaited where coroutines belong.
                    future = self._ticking_loop().submit(_awaited(result, frame), context)
                    running = asyncio.wrap_future(future)
                    result = await asyncio.shield(running)
            return result
        except TimeoutError:
            if running.done() and not running.cancelled() and isinstance(running.exception(), TimeoutError):
                raise
            frame.signal.set("its time is over")
            running.cancel()
            self._threads.abandon(future)
            raise UserCodeTimeout(f"user code did not end within {timeout:g} seconds") from None
        except asyncio.CancelledError:
            frame.signal.set("the execution was cancelled")
            running.cancel()
            raise

    def _ticking_loop(self) -> "_LoopThread":
        with self._lock:
            if self._closed:
                raise AgbossError("user code can't run any more: the worker has shut down")
            if self._loop is not None and self._loop.stuck_for() > self._stuck_seconds:
                _log.warning(
                    "a tool or channel blocks the loop of user code for %.0f s; new calls go to a fresh one",
                    self._loop.stuck_for(),
                )
                self._loop.stop()
                self._loop = None
            if self._loop is None:
                self._loop = _LoopThread()
            return self._loop

    async def close(self) -> None:
        """Stop the loop and the threads; what still runs is left behind."""
        with self._lock:
            self._closed = True
            loop, self._loop = self._loop, None
        if loop is not None:
            loop.stop()
        self._threads.close()


class _LoopThread:
    """An event loop in a daemon thread that says when it last ticked."""

    _TICK = 0.25

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._ticked = time.monotonic()
        self._thread = threading.Thread(target=self._live, name="agboss-user-code", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, Any], context: contextvars.Context) -> "concurrent.futures.Future[Any]":
        """Run a coroutine on the loop, in ``context``."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()

        def begin() -> None:
            task = self._loop.create_task(_outcome(work), context=context)
            task.add_done_callback(lambda done: _settle(future, done))
            future.add_done_callback(lambda done: self._cancel(task) if done.cancelled() else None)

        self._loop.call_soon_threadsafe(begin)
        return future

    def _cancel(self, task: "asyncio.Task[Any]") -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(task.cancel)

    def stuck_for(self) -> float:
        """Seconds since the loop last ticked, beyond the tick itself."""
        return max(0.0, time.monotonic() - self._ticked - self._TICK)

    def stop(self) -> None:
        """End the loop once it can."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.call_soon(self._tick)
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def _tick(self) -> None:
        self._ticked = time.monotonic()
        self._loop.call_later(self._TICK, self._tick)


class _Threads:
    """A pool whose threads may be lost to code that never returns."""

    def __init__(self, threads: int) -> None:
        self._size = threads
        self._pool = self._new()
        self._abandoned = 0
        self._lock = threading.Lock()

    def _new(self) -> concurrent.futures.ThreadPoolExecutor:
        return concurrent.futures.ThreadPoolExecutor(self._size, thread_name_prefix="agboss-user-code")

    def submit(self, function: Callable[..., Any], *args: Any) -> "concurrent.futures.Future[Any]":
        with self._lock:
            return self._pool.submit(function, *args)

    def abandon(self, future: "concurrent.futures.Future[Any]") -> None:
        """The future's thread may never come back; when half of them don't, a fresh pool takes the new calls."""
        if future.done() or not future.running():
            return
        with self._lock:
            self._abandoned += 1
            if self._abandoned * 2 >= self._size:
                self._pool.shutdown(wait=False)
                self._pool, self._abandoned = self._new(), 0

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


async def _in_frame(function: Callable[..., Any], args: tuple[Any, ...], frame: Frame) -> Any:
    with enter(frame):
        return await function(*args)


async def _awaited(awaitable: Any, frame: Frame) -> Any:
    with enter(frame):
        return await awaitable


def _call_in_frame(function: Callable[..., Any], args: tuple[Any, ...], frame: Frame, context: contextvars.Context) -> Any:
    def call() -> Any:
        with enter(frame):
            return function(*args)

    try:
        return context.run(call)
    except Exception:
        raise
    except BaseException as error:
        raise UserCodeExit(f"user code raised {type(error).__name__}") from error


async def _outcome(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await work
    except Exception:
        raise
    except BaseException as error:
        # SystemExit would end the loop's thread, and a CancelledError of its own is no cancel of ours.
        raise UserCodeExit(f"user code raised {type(error).__name__}") from error


def _settle(future: "concurrent.futures.Future[Any]", task: "asyncio.Task[Any]") -> None:
    error = None if task.cancelled() else task.exception()
    if not future.set_running_or_notify_cancel():
        return
    if task.cancelled():
        future.set_exception(UserCodeExit("user code was cancelled"))
    elif error is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())
