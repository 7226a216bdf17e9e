"""Tasks that end together: the first failure stops the others, and nobody leaves before all have ended.

Temporal cancels the primary task alone; everything else belongs to a scope, which cancels in order of creation.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any

from agboss.temporal.workflow.steps import StepFailed, Stopped

if TYPE_CHECKING:
    from agboss.temporal.workflow.holder import Holder


class Scope:
    """Use: ``spawn`` each task, then ``join``."""

    def __init__(self, holder: "Holder") -> None:
        self._holder = holder
        self._tasks: list[asyncio.Task[None]] = []
        self._open = 0
        self._failed: StepFailed | None = None
        self._broken: BaseException | None = None
        self._changed: asyncio.Future[None] | None = None
        self.stopped = False
        holder.scopes.append(self)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task; it counts as moving from now until it has ended."""
        self._holder.entered()
        self._open += 1
        task = asyncio.get_running_loop().create_task(work)
        # A callback and no wrapper: a task that is cancelled before its first step never enters its coroutine.
        task.add_done_callback(self._ended)
        self._tasks.append(task)

    def check(self) -> None:
        """Raise ``Stopped`` in a task that was told to stop while it couldn't be interrupted."""
        if self.stopped:
            raise Stopped

    def stop(self) -> None:
        """Cancel all tasks, in order of creation; until they have ended the holder asks for no rest."""
        if not self.stopped:
            self.stopped = True
            self._holder.stopping += 1
            for task in self._tasks:
                task.cancel()
            self._notify()

    async def join(self, *, on_failure: Callable[[], Awaitable[None]]) -> None:
        """Return when all tasks have ended well.

        Raises:
            StepFailed: the first failure, after ``on_failure`` has run and the others have been stopped and have ended.
            Stopped: the scope was stopped, or one of its tasks was refused.
        """
        self._holder.left()
        while self._open and self._failed is None and self._broken is None and not self.stopped:
            await self._change()
        self._holder.entered()
        if self._failed is not None and not self.stopped:
            await on_failure()
        if self._open:
            self.stop()
            while self._open:
                await self._change()
        self._holder.scopes.remove(self)
        self._holder.stopping -= self.stopped + (self._failed is not None)
        if self._broken is not None:
            raise self._broken
        if self._failed is not None:
            raise self._failed
        self.check()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StepFailed):
            if self._failed is None and not self.stopped:
                # Before this task stops counting: from here on the decider moves, and nobody may rest.
                self._failed = error
                self._holder.stopping += 1
        elif task.cancelled() or isinstance(error, Stopped):
            if self._failed is None:
                # A refusal comes from a fence, and the others are under the same one.
                self.stop()
        elif error is not None:
            # A fault of our own must fail the workflow task, where it is seen and retried, not vanish in a task.
            self._broken = error
        self._open -= 1
        self._notify()
        self._holder.left()

    def _notify(self) -> None:
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    async def _change(self) -> None:
        self._changed = asyncio.get_running_loop().create_future()
        await self._changed
