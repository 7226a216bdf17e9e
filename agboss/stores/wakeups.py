"""Waking those who wait for a tree to change, within one process, on any number of event loops."""

import asyncio
import threading
from collections.abc import Mapping
from contextlib import suppress


class Wakeups:
    """``seen`` numbers are the trees' ``seq``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}

    def notify(self, touched: Mapping[str, int]) -> None:
        """These trees have changed; from any thread."""
        with self._lock:
            waiting = [waiter for root in touched for waiter in self._waiting.pop(root, ())]
        for loop, event in waiting:
            # A loop that has closed meanwhile has nobody left who waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)

    def register(self, root: str) -> asyncio.Event:
        """An event that is set at the tree's next change."""
        event = asyncio.Event()
        with self._lock:
            self._waiting.setdefault(root, []).append((asyncio.get_running_loop(), event))
        return event

    def forget(self, root: str, event: asyncio.Event) -> None:
        """Nobody waits on this event any more."""
        with self._lock:
            left = [waiter for waiter in self._waiting.get(root, ()) if waiter[1] is not event]
            if left:
                self._waiting[root] = left
            else:
                self._waiting.pop(root, None)
