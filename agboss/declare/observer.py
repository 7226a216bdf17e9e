"""Observers: told what happens to executions, and unable to change it."""

from agboss.domain.events import ExecutionEnded, ExecutionFailed, ExecutionPaused, ExecutionResumed, ExecutionStarted


class Observer:
    """Override what you want to hear of. Each event comes once, in order within its execution, and again only after a crash
    in between, with the same number. What a hook raises is a warning (S038)."""

    async def on_execution_start(self, event: ExecutionStarted) -> None:
        """An execution starts."""

    async def on_execution_pause(self, event: ExecutionPaused) -> None:
        """It rests: nothing can move without an answer (S034)."""

    async def on_execution_resume(self, event: ExecutionResumed) -> None:
        """One answer was taken by its step."""

    async def on_execution_end(self, event: ExecutionEnded) -> None:
        """It finished, or was cancelled."""

    async def on_execution_error(self, event: ExecutionFailed) -> None:
        """It failed."""
