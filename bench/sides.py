"""The two sides of the comparison, and one gate of either, timed."""

import asyncio
import secrets
import time
from datetime import timedelta
from typing import Protocol

from temporalio.client import Client

from agboss import App, StartText
from agboss.decisions.keys import workflow_id
from agboss.domain.ids import ExecutionId
from bench.by_hand.messages import Decision
from bench.by_hand.workflow import RefundByHand
from bench.desk import Desk
from bench.office import BenchWorkflow

TEXT = "Order A-17 came broken"
THINKING_SECONDS = 0.1
"""Long enough that a gate which is alone rests when its answer comes."""
LONGEST = timedelta(seconds=60)
"""A gate that takes longer fails the benchmark: a step that only fails is repeated for ever."""


class Side(Protocol):
    """One way to run a gate."""

    name: str
    desk: Desk

    async def start(self) -> tuple[str, str]:
        """Start an execution; the name that the desk knows it by, and its workflow's id."""
        ...

    async def answer(self, answer_to: str) -> None:
        """Approve what was asked."""
        ...


class Agboss:
    """Through the facade."""

    name = "agboss"

    def __init__(self, app: App, desk: Desk) -> None:
        self._app, self.desk = app, desk

    async def start(self) -> tuple[str, str]:
        started = await self._app.execute(BenchWorkflow, StartText(text=TEXT), tenant_id="acme", wait=False)
        execution = ExecutionId(started.execution_id)
        return execution, workflow_id("bench", "acme", started.thread_id, execution)

    async def answer(self, answer_to: str) -> None:
        answered = await self._app.resume(
            answer_to, decision={"approved": True}, answered_by="manager-17", tenant_id="acme", wait=False
        )
        if not answered.delivered:
            raise RuntimeError("an answer was recorded and its signal got lost; the sweep would distort the times")


class ByHand:
    """Through a Temporal client."""

    name = "by hand"

    def __init__(self, client: Client, desk: Desk, *, task_queue: str) -> None:
        self._client, self.desk, self._task_queue = client, desk, task_queue

    async def start(self) -> tuple[str, str]:
        identity = f"by-hand-{secrets.token_hex(16)}"
        await self._client.start_workflow(RefundByHand.run, TEXT, id=identity, task_queue=self._task_queue)
        return identity, identity

    async def answer(self, answer_to: str) -> None:
        handle = self._client.get_workflow_handle(answer_to)
        await handle.signal(RefundByHand.decide, Decision(approved=True, answered_by="manager-17"))


async def gate(side: Side, client: Client, *, thinking: float = THINKING_SECONDS) -> tuple[float, str]:
    """Run one gate; the seconds from its start to its workflow's end without ``thinking``, and the workflow's id.

    Both sides are timed alike: from before the start call to the moment Temporal says that the workflow has ended.
    ``App.resume(wait=True)`` would return earlier, when the index has the end, before the workflow's last task is over;
    that would flatter agboss.

    Args:
        thinking: seconds between question and answer, not counted. At 0 an answer can overtake the end of ``send`` and save
            a workflow task. A bare signal mostly does, an answer that is first made durable mostly doesn't, and outside of
            a benchmark nobody answers that fast: so the rule is ``THINKING_SECONDS``.

    Raises:
        TimeoutError, WorkflowFailureError, AgbossError: the gate went wrong, and so has the benchmark.
    """
    async with asyncio.timeout(LONGEST.total_seconds()):
        began = time.perf_counter()
        execution, workflow = await side.start()
        answer_to = await side.desk.asked(execution)
        await asyncio.sleep(thinking)
        await side.answer(answer_to)
        ended = await client.get_workflow_handle(workflow).result()
        seconds = time.perf_counter() - began - thinking
    if ended not in ({"outcome": "finished"}, "Your refund is on its way."):
        raise RuntimeError(f"a gate of {side.name} ended with {ended!r}")
    return seconds, workflow
