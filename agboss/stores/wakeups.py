"""Waking those who wait for a tree to change, within one process, on any number of event loops."""

import asyncio
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple


class Change(NamedTuple):
    """A tree after a commit."""

    seq: int
    settled: bool
    """It rests, or has ended."""


@dataclass(eq=False, slots=True)
class Waiter:
    """One wait. ``heard``: the last change of the tree that was made in this process, whether or not it woke this one."""

    settled: bool
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    event: asyncio.Event = field(default_factory=asyncio.Event)
    heard: int = -1


class Wakeups:
    """Whoever waits for a settled tree isn't woken while it moves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Waiter]] = {}

    def notify(self, touched: Mapping[str, Change]) -> None:
        """These trees have changed; from any thread."""
        woken: list[Waiter] = []
        with self._lock:
            for root, change in touched.items():
                waiting = self._waiting.get(root, ())
                for waiter in waiting:
                    waiter.heard = change.seq
                woken.extend(waiter for waiter in waiting if change.settled or not waiter.settled)
        for waiter in woken:
            # A loop that has closed meanwhile has nobody left who waits.
            with suppress(RuntimeError):
                waiter.loop.call_soon_threadsafe(waiter.event.set)

    def register(self, root: str, *, settled: bool) -> Waiter:
        """A waiter whose event is set at the tree's next change, or its next settled one."""
        waiter = Waiter(settled)
        with self._lock:
            self._waiting.setdefault(root, []).append(waiter)
        return waiter

    def forget(self, root: str, waiter: Waiter) -> None:
        """It waits no more."""
        with self._lock:
            left = [other for other in self._waiting.get(root, ()) if other is not waiter]
            if left:
                self._waiting[root] = left
            else:
                self._waiting.pop(root, None)
