"""Telling channels of answers beside the calls that were answered: nothing waits for it but the end of the run.

These tasks belong to no scope and count as no movement: a slow channel neither holds a rest back nor is cut off by a failure.
"""

import asyncio

from agboss.decisions.keys import pause_key
from agboss.domain.plan import ToolPlan
from agboss.domain.rests import Owed
from agboss.temporal.wire import CallToMake
from agboss.temporal.workflow.steps import Steps


class Notices:
    """The notices of one run that are under way."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def tell(self, steps: Steps, call: CallToMake, tool: ToolPlan) -> None:
        """Tell the channel of the call's answer. Where there is none yet, or it is told already, nothing comes of it."""
        assert tool.channel is not None, "a call that was answered was asked"
        owed = Owed(
            step_key=call.step_key,
            pause_key=pause_key(call.step_key),
            channel=tool.channel.name,
            implementation=tool.channel.implementation,
            tool=tool.name,
            timeout_seconds=tool.timeout_seconds,
            kind="answered",
        )
        self._tasks = [task for task in self._tasks if not task.done() or task.exception() is not None]
        self._tasks.append(asyncio.get_running_loop().create_task(steps.take_back(owed, after_send=True)))

    async def ended(self) -> None:
        """Return when all have ended: a run that ends before would lose them to the sweep."""
        while self._tasks:
            await self._tasks.pop(0)
