"""Section 1 of the statements: what a pause is."""

from typing import Any

from agboss import ExecutionStatus, PauseAnswerer
from tests.rig import FreeWorkflow, Rig, call


async def test_a_gated_call_is_asked_before_it_runs(rig: Rig) -> None:
    """S001: the channel is asked before run is entered, and run is never entered without an outcome."""
    paused = await rig.execute([call("pay-tool", amount=10)], "paid")
    assert rig.told.order == ["send pay-tool"]
    await rig.answer(rig.ids[0])
    assert rig.told.order == ["send pay-tool", "run pay-tool"]
    assert paused.status is ExecutionStatus.PAUSED


async def test_an_ungated_call_never_asks(rig: Rig) -> None:
    """S002, S037: a tool without a channel runs at once: no send, no pause event, no PAUSED."""
    result = await rig.execute([call("free-tool")], "done", workflow=FreeWorkflow)
    await rig.until(lambda: "end" in rig.kinds())
    assert (result.status, rig.ids, rig.kinds()) == (ExecutionStatus.FINISHED, [], ["start", "end"])


async def test_a_tool_names_a_role_or_a_concrete_channel(rig: Rig) -> None:
    """S003, S022: a role's implementation is asked under the role's name, a concrete channel under its own."""
    paused = await rig.execute([call("pay-tool", amount=1), call("plain-tool")], "done")
    assert [p.channel for p in paused.pending] == ["payment-approval-channel", "plain-channel"]
    assert {ask.value.tool for ask in rig.told.asks} == {"pay-tool", "plain-tool"}


async def test_an_answer_reaches_the_pause_whose_id_it_names(rig: Rig) -> None:
    """S006, A01: of two calls with the same tool and equal arguments, the one that is answered runs."""
    await rig.execute([call("pay-tool", amount=7), call("pay-tool", amount=7)], "done")
    second = next(ask for ask in rig.told.asks if ask.value.call_id == "t0c1")
    result = await rig.answer(second.pause_id)
    assert len(rig.told.runs) == 1
    assert rig.told.frames[-1][1]["call"] == "t0c1"
    assert [p.ask.call_id for p in result.pending] == ["t0c0"]


async def test_one_turn_with_several_calls(rig: Rig) -> None:
    """S005, S007, B04: gated calls wait side by side, ungated ones run at once, and the next turn has all results in call
    order."""
    paused = await rig.execute([call("pay-tool", amount=1), call("free-tool"), call("pay-tool", amount=2)], "done")
    assert len(set(rig.ids)) == len(paused.pending) == 2
    assert [run[0] for run in rig.told.runs] == ["free-tool"]
    for pause_id in rig.ids:
        result = await rig.answer(pause_id)
    assert result.output.text == "done"
    assert list(rig.last_results()) == ["t0c0", "t0c1", "t0c2"]
    assert [run[0] for run in rig.told.runs].count("free-tool") == 1


async def test_the_turn_that_led_to_a_pause_is_not_asked_again(rig: Rig) -> None:
    """S008: as many model requests as the same run needs with a channel that decides at once."""
    await rig.execute([call("pay-tool", amount=1)], "done")
    await rig.answer(rig.ids[0])
    paused = len(rig.models.requests)
    await rig.execute([call("approved-tool")], "done")
    assert paused == len(rig.models.requests) - paused == 2


async def test_what_is_asked_is_what_runs(rig: Rig) -> None:
    """S009, S055: the validated arguments are asked, and the tool runs once with exactly those."""
    await rig.execute([call("pay-tool", amount="12", to="alice", unknown="dropped")], "done")
    await rig.answer(rig.ids[0])
    asked = rig.told.asks[0].value.arguments
    assert (asked.amount, asked.to) == (12, "alice")
    assert [run[1] for run in rig.told.runs] == [asked]


async def test_invalid_arguments_are_not_asked(rig: Rig) -> None:
    """S009: a call that doesn't fit the tool's input is an error for the model, and nobody is asked."""
    result = await rig.execute([call("pay-tool", amount="much")], "sorry")
    assert (result.status, rig.ids, rig.told.runs) == (ExecutionStatus.FINISHED, [], [])
    text = rig.last_results()["t0c0"]
    assert text.startswith("Tool error: invalid input: amount:")
    assert "much" not in text


async def test_an_unknown_tool_is_an_error_for_the_model(rig: Rig) -> None:
    """A call of a tool that isn't there is told to the model, with the tools that are."""
    await rig.execute([call("no-such-tool")], "sorry", workflow=FreeWorkflow)
    assert rig.last_results() == {"t0c0": "Tool error: there is no tool 'no-such-tool'; the tools are: free-tool"}


async def test_pending_says_what_waits(rig: Rig) -> None:
    """S018–S026, S129: one entry a pause, with its answerer, agent, channel and masked ask; a CHANNEL pause's id isn't
    there."""
    paused = await rig.execute([call("pay-tool", amount=1, card="secret-card"), call("publish-tool", text="x")], "done")
    by_tool: dict[str, Any] = {pending.ask.tool: pending for pending in paused.pending}
    pay, publish = by_tool["pay-tool"], by_tool["publish-tool"]
    assert (pay.pause_id, pay.answered_by, pay.agent) == (None, PauseAnswerer.CHANNEL, "clerk-agent")
    assert publish.answered_by is PauseAnswerer.THREAD_OWNER
    assert publish.pause_id == next(ask.pause_id for ask in rig.told.asks if ask.value.tool == "publish-tool")
    assert (pay.item_index, pay.child_execution_id) == (None, None)
    assert pay.ask.arguments == {"amount": 1, "to": "somebody", "card": "••••••"}
    assert "secret-card" not in paused.model_dump_json()
    assert next(a for a in rig.told.asks if a.value.tool == "pay-tool").value.arguments.card == "secret-card"
    await rig.until(lambda: "pause" in rig.kinds())
    event = next(e for e in rig.told.events if e.kind == "pause")
    assert event.pending == paused.pending  # type: ignore[union-attr]


async def test_sensitive_values_reach_the_tool(rig: Rig) -> None:
    """S026: masked for people, real for the tool."""
    await rig.execute([call("pay-tool", amount=1, card="secret-card")], "done")
    await rig.answer(rig.ids[0])
    assert rig.told.runs[0][1].card == "secret-card"  # type: ignore[attr-defined]


async def test_a_finished_execution_has_nothing_pending(rig: Rig) -> None:
    """S032, S033: PAUSED exactly as long as something is pending."""
    paused = await rig.execute([call("pay-tool", amount=1)], "done")
    assert (paused.status, bool(paused.pending)) == (ExecutionStatus.PAUSED, True)
    finished = await rig.answer(rig.ids[0])
    assert (finished.status, finished.pending) == (ExecutionStatus.FINISHED, [])


async def test_an_answer_runs_nothing_again(rig: Rig) -> None:
    """B03: an ungated mail, a gated refund, an ungated mail: each runs once, in order, the first before the question."""
    turns = [[call("free-tool", text="mail")], [call("pay-tool", amount=1)], [call("free-tool", text="mail 2")], "done"]
    await rig.execute(*turns)
    assert rig.told.order == ["run free-tool", "send pay-tool"]
    result = await rig.answer(rig.ids[0])
    assert rig.told.order == ["run free-tool", "send pay-tool", "run pay-tool", "run free-tool"]
    mails: list[Any] = [input for tool, input, _ in rig.told.runs if tool == "free-tool"]
    assert ([mail.text for mail in mails], result.output.text) == (["mail", "mail 2"], "done")
