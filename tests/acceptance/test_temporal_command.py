"""What an operator, or an attacker, does with Temporal's own command line."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from tests.rig import Rig, call

TEMPORAL = str(Path(sys.executable).parent / "temporal")


async def temporal(rig: Rig, *arguments: str) -> tuple[int, str]:
    """Run ``temporal`` against the rig's server; gives its exit code and what it said."""
    process = await asyncio.create_subprocess_exec(
        TEMPORAL,
        *arguments,
        "--address",
        rig.settings.temporal_address,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode()


async def test_forged_signals_do_no_harm(rig: Rig) -> None:
    """D04, S246: raw messages of wrong types, with more fields, under other names and of no JSON at all are dropped; the pause
    stays answerable, and its answer is taken once."""
    started = await rig.execute([call("pay-tool", amount=1)], "done")
    record: Any = await rig.app._index.find("acme", rig.ids[0])  # type: ignore[arg-type]
    signal = ("workflow", "signal", "--workflow-id", record.workflow_id)
    for name, given in [
        ("agboss.look", '{"approved": true, "version": 7}'),
        ("agboss.look", "7"),
        ("agboss.look", f'"{record.pause_key}"'),
        ("approve", '{"approved": true}'),
    ]:
        assert await temporal(rig, *signal, "--name", name, "--input", given) == (0, "Signal workflow succeeded\n")
    code, said = await temporal(
        rig, *signal, "--name", "agboss.look", "--input", "not json at all", "--input-meta", "encoding=x"
    )
    assert code == 0, said
    assert rig.told.runs == []
    result = await rig.answer(rig.ids[0])
    assert result.output is not None and result.output.text == "done"
    assert len(rig.told.runs) == 1
    await rig.until(lambda: "end" in rig.kinds())
    assert rig.kinds(started.execution_id) == ["start", "pause", "resume", "end"]


async def test_a_start_that_is_none_of_ours_fails_at_once(rig: Rig) -> None:
    """A workflow started by hand with an input of its own fails with a text that says how to start one, instead of a task that
    fails for ever; nobody is asked anything."""
    code, said = await temporal(
        rig,
        *("workflow", "execute", "--type", "clerk-workflow", "--workflow-id", f"by-hand-{rig.declaration.name}"),
        *("--task-queue", rig.declaration.name, "--input", '{"text": "hello"}'),
    )
    assert code != 0
    assert "the start input is not one of agboss" in said and "app.execute" in said
    assert rig.ids == [] and rig.models.requests == []


async def test_a_cancel_from_outside_takes_questions_back(rig: Rig) -> None:
    """Protocol T5: a cancel from Temporal's own tools ends the execution as `app.cancel` does."""
    started = await rig.execute([call("pay-tool", amount=1)], "done")
    record: Any = await rig.app._index.find("acme", rig.ids[0])  # type: ignore[arg-type]
    code, said = await temporal(rig, "workflow", "cancel", "--workflow-id", record.workflow_id)
    assert code == 0, said
    await rig.until_ended(started)
    await rig.until(lambda: len(rig.told.withdrawals) == 1)
    assert rig.told.withdrawals[0].resolution == "cancelled"
    assert await rig.app.pending(tenant_id="acme") == ()


async def test_what_a_person_sees(rig: Rig) -> None:
    """S022, F05: the Temporal UI's data name flow, agent, tool and channel, show what waits, and hold no secret value and no
    pause id."""
    await rig.execute([call("pay-tool", amount=1, card="4111-2222")], "done")
    record: Any = await rig.app._index.find("acme", rig.ids[0])  # type: ignore[arg-type]
    code, history = await temporal(rig, "workflow", "show", "--workflow-id", record.workflow_id, "--output", "json")
    assert code == 0
    described = ""
    async with asyncio.timeout(30):
        while "paused" not in described:
            code, described = await temporal(rig, "workflow", "describe", "--workflow-id", record.workflow_id)
            assert code == 0
    for name in ("clerk-workflow", "clerk-agent", "desk-payment-channel.send"):
        assert name in history
    assert "AgbossPending" in described
    assert not any(secret in history + described for secret in ("4111-2222", rig.ids[0]))
