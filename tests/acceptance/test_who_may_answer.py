"""Section 11 of the statements: who may answer."""

from typing import Any

import pytest

from agboss import ExecutionStatus, PauseAnswerer
from agboss.errors import (
    DtoValidationError,
    FourEyesError,
    OwnerRequiredError,
    PauseAnswererError,
    ThreadOwnerError,
)
from tests.rig import PayerWorkflow, Rig, call


async def test_the_owner_answers_a_thread_owner_pause(rig: Rig) -> None:
    """S019, S126, S127, S129: the listed id answers it, with the thread's owner_id; another owner is refused and the pause waits."""
    paused = await rig.execute([call("publish-tool")], "done")
    pause_id: Any = paused.pending[0].pause_id
    with pytest.raises(ThreadOwnerError) as raised:
        await rig.answer(pause_id, owner_id="customer-2")
    assert raised.value.code == "run.thread-owner"
    assert (await rig.answer(pause_id, owner_id="customer-1")).status is ExecutionStatus.FINISHED


async def test_the_wrong_kind_of_credential(rig: Rig) -> None:
    """S128, S137–S140: the error's class and code, and both pauses keep waiting, also for the right owner."""
    await rig.execute([call("pay-tool", amount=1), call("publish-tool")], "done")
    ids = {ask.value.tool: ask.pause_id for ask in rig.told.asks}
    for pause_id, credential in [
        (ids["publish-tool"], {"answered_by": "manager-17"}),
        (ids["pay-tool"], {"owner_id": "customer-1"}),
        (ids["pay-tool"], {"answered_by": ""}),
        (ids["pay-tool"], {"answered_by": "   "}),
        (ids["pay-tool"], {"answered_by": None}),
    ]:
        with pytest.raises(PauseAnswererError) as raised:
            await rig.answer(pause_id, **credential)
        assert raised.value.code == "pause.wrong-answerer"
    with pytest.raises(DtoValidationError):
        await rig.answer(ids["pay-tool"], answered_by="two\nlines")
    await rig.answer(ids["pay-tool"])
    assert (await rig.answer(ids["publish-tool"], owner_id="customer-1")).output.text == "done"


async def test_a_concrete_channel_is_answered_by_the_owner(rig: Rig) -> None:
    """S141: a tool that names TerminalUserChannel gets THREAD_OWNER pauses; the question is shown in the terminal, without an
    id."""
    paused = await rig.execute([call("terminal-tool", text="hello\x1b[2J\u202e")], "done")
    pending = paused.pending[0]
    assert (pending.answered_by, pending.channel) == (PauseAnswerer.THREAD_OWNER, "terminal-user-channel")
    shown = rig.terminal.stream.getvalue()  # type: ignore[attr-defined]
    assert "hello⟨U+001B⟩[2J⟨U+202E⟩" in shown
    assert pending.pause_id is not None
    assert pending.pause_id not in shown
    with pytest.raises(PauseAnswererError):
        await rig.answer(pending.pause_id)
    assert (await rig.answer(pending.pause_id, owner_id="customer-1")).output.text == "done"


async def test_the_terminal_tells_of_an_answer(rig: Rig) -> None:
    """F02: the question in the terminal is followed by who answered it, and how; no id is shown."""
    paused = await rig.execute([call("terminal-tool", text="hello")], "done")
    pause_id = paused.pending[0].pause_id
    assert pause_id is not None
    await rig.answer(pause_id, {"approved": False}, owner_id="customer-1")
    shown = rig.terminal.stream
    await rig.until(lambda: "Answered (rejected by customer-1):\n" in shown.getvalue())  # type: ignore[attr-defined]
    assert pause_id not in shown.getvalue()  # type: ignore[attr-defined]


async def test_whoever_answers_the_execution_runs_as_the_owner(rig: Rig) -> None:
    """S130, S131, S142, B15: any name is accepted and recorded; inside the tool the owner and the project's own fields are
    unchanged."""
    await rig.execute([call("pay-tool", amount=1)], "done", fields={"project": "p1"})
    result = await rig.answer(rig.ids[0], answered_by="customer-1", record=True)
    assert result.record.pauses[0].responder == "customer-1"  # type: ignore[union-attr]
    frame = rig.told.frames[-1][1]
    assert (frame["owner"], frame["tenant"], frame["fields"]) == ("customer-1", "acme", {"project": "p1"})


async def test_four_eyes(rig: Rig) -> None:
    """R30, F07: a role may refuse the thread's own owner; another person's answer works."""
    await rig.execute([call("four-eyes-tool")], "done")
    with pytest.raises(FourEyesError) as raised:
        await rig.answer(rig.ids[0], answered_by="customer-1")
    assert raised.value.code == "pause.four-eyes"
    assert (await rig.answer(rig.ids[0])).output.text == "done"


async def test_an_owner_is_needed_where_the_flow_can_ask_one(rig: Rig) -> None:
    """R15: refused before anything starts; a flow that can't ask the owner runs without one."""
    with pytest.raises(OwnerRequiredError) as raised:
        await rig.execute([call("publish-tool")], "done", owner_id=None)
    assert raised.value.code == "run.owner-required"
    result = await rig.execute("done", owner_id=None, workflow=PayerWorkflow)
    assert result.status is ExecutionStatus.FINISHED


async def test_the_id_is_nowhere_but_in_index_and_channel(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """S133, S136, F05, invariant 5: not in results, events, records, logs, errors or Temporal's history."""
    from temporalio.client import Client

    caplog.set_level("DEBUG")
    paused = await rig.execute([call("pay-tool", amount=1, card="secret-card")], "done")
    pause_id = rig.ids[0]
    assert len(bytes.fromhex(pause_id)) == 16
    result = await rig.answer(pause_id, record=True)
    with pytest.raises(Exception) as raised:
        await rig.answer(pause_id)
    await rig.until(lambda: "end" in rig.kinds())
    client = await Client.connect(rig.settings.temporal_address)
    history = ""
    async for execution in client.list_workflows(f"WorkflowId STARTS_WITH '{rig.declaration.name}'"):
        history += str(await client.get_workflow_handle(execution.id).fetch_history())
        history += str(execution.raw_info)
    said = [paused.model_dump_json(), result.model_dump_json(), repr(raised.value), caplog.text, history]
    said += [event.model_dump_json() for event in rig.told.events]
    assert len(history) > 1_000
    for text in said:
        assert pause_id not in text
        assert "secret-card" not in text
