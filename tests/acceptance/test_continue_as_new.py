"""Long executions: they continue as new at a quiet moment, and nobody outside notices."""

import asyncio
from typing import Any

from temporalio.client import Client, WorkflowHandle

from agboss.temporal.wire import LOOK, RunLimits
from tests.rig import Rig, call


async def handle_of(rig: Rig, execution_id: str) -> WorkflowHandle[Any, Any]:
    """The execution's workflow, whichever run it is in."""
    progress: Any = await rig.app._index.progress("acme", execution_id)  # type: ignore[arg-type]
    client = await Client.connect(rig.settings.temporal_address)
    return client.get_workflow_handle(progress.frame.workflow_id)


async def run_of(handle: WorkflowHandle[Any, Any]) -> str:
    return str((await handle.describe()).run_id)


async def test_an_execution_goes_on_in_new_runs(rig: Rig) -> None:
    """Protocol, trap 1: past its limit of events a run starts no new turn and continues as new; turns, calls and answers of
    earlier runs are not made again."""
    rig.app._starter.run_limits = RunLimits(events=30)
    result = await rig.execute(*([call("pay-tool", amount=n)] for n in range(4)), "all paid")
    handle = await handle_of(rig, result.execution_id)
    first = await run_of(handle)
    for number in range(4):
        result = await rig.answer(rig.ids[number])
    assert result.output is not None and result.output.text == "all paid"
    assert await run_of(handle) != first
    assert [run[1].amount for run in rig.told.runs] == [0, 1, 2, 3]  # type: ignore[attr-defined]
    assert len(rig.ids) == 4 and len(rig.models.requests) == 5
    await rig.until(lambda: "end" in rig.kinds())
    assert rig.kinds() == ["start", *["pause", "resume"] * 4, "end"]


async def test_a_parked_execution_survives_a_flood_of_signals(rig: Rig) -> None:
    """D06 (one holder), S246: forged signals wake nobody; past the limit the parked run continues as new, with the same
    pauses, that nobody is asked about again; answers sent before and after are taken once."""
    rig.app._starter.run_limits = RunLimits(signals=20)
    started = await rig.execute([call("pay-tool", amount=1), call("pay-tool", amount=2), call("free-tool")], "done")
    handle = await handle_of(rig, started.execution_id)
    first = await run_of(handle)
    for number in range(25):
        await handle.signal(LOOK if number % 2 else "made.up", f"nonsense-{number}")
    async with asyncio.timeout(30):
        while await run_of(handle) == first:
            await asyncio.sleep(0.05)
    assert len(rig.ids) == 2
    one = await rig.answer(rig.ids[0])
    assert [pause.ask.call_id for pause in one.pending] == [rig.told.asks[1].value.call_id]
    two = await rig.answer(rig.ids[1])
    assert two.output is not None and two.output.text == "done"
    assert sorted(run[0] for run in rig.told.runs) == ["free-tool", "pay-tool", "pay-tool"]
    assert len(rig.ids) == 2
