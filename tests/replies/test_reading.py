"""Replies in free text, read on a real server by all three kinds of interpreter."""

import asyncio
from typing import Any

import pytest

from agboss import ReplyInterpretation
from agboss.domain.replies import reply_in
from agboss.errors import (
    DtoValidationError,
    ModelAnswerError,
    NotPausedError,
    PauseAnswererError,
    ReplyInterpreterMissingError,
    ThreadOwnerError,
    UninterpretableReplyError,
    UnknownPauseError,
    WaitTimeoutError,
)
from tests.replies.office import DEPOSIT, EXPENSE, MUTE, REFUND, Deposit, Desk, Expense, Refund


async def test_a_chat_model_refunds_half(desk: Desk) -> None:
    """S064, S070, S074, S075, S076, S083, S117: the request has one tool with the answer's schema, the prompt as its system
    message and one message with question and reply; the tool runs once with half, and the record says who and what."""
    desk.chat.when(reply="ok, but only half").read(approved=True, override_arguments={"amount": 25})
    await desk.asked(REFUND)
    result = await desk.reply("ok, but only half", record=True)
    assert (result.status, result.output.text, desk.told.runs) == ("finished", "refunded 25", [Refund(amount=25)])
    (entry,) = result.record.pauses  # type: ignore[union-attr]
    assert (entry.responder, entry.resolution) == ("manager-17", "replied")
    assert entry.decision == {"approved": True, "override_arguments": {"amount": 25, "card": "••••••"}}
    (request,) = desk.chat.requests
    (spec,) = request.tools
    assert set(spec.input_schema["properties"]) == {"approved", "reason", "override_arguments"}
    system, user = request.messages
    assert system.role == "system" and "The manager answered a refund approval." in system.text
    assert "half" not in system.text and "refund-tool" not in system.text
    assert user.text.startswith("### ask\n{") and user.text.endswith("\n### reply\nok, but only half")
    assert '"amount": 50' in user.text and "4111" not in user.text and request.tenant_id == "acme"
    assert "half" not in str(desk.clerk.requests[-1].messages) and desk.decisions.questions == []


async def test_a_masked_field_keeps_its_value(desk: Desk) -> None:
    """R24: the model saw a mask, and gave it back: the tool gets the real card."""
    desk.chat.when(reply="half").read(approved=True, override_arguments={"amount": 25, "card": "••••••"})
    await desk.asked(call_with_card())
    await desk.reply("half")
    assert desk.told.runs == [Refund(amount=25, card="4000-0000")]


def call_with_card() -> Any:
    from tests.rig import call

    return call("refund-tool", amount=50, card="4000-0000")


@pytest.mark.parametrize(
    ("probability", "approves"),
    [(0.9, True), (0.51, True), (0.5, False), (0.49, False), (0.0, False), (1.0, True)],
)
async def test_a_decision_model_says_yes_or_no(desk: Desk, probability: float, approves: bool) -> None:
    """S077, S078, S079, S080, S118, S119, R29: one question, approved above one half alone, never a reason or overrides."""
    desk.decisions.when(reply="go ahead").answer(probability)
    await desk.asked(DEPOSIT)
    result = await desk.reply("go ahead", answered_by="clerk-3", record=True)
    (question,) = desk.decisions.questions
    assert (question.name, question.model) == ("approved", "typesafe/jev-1.13")
    assert question.instructions.endswith("The clerk answered a deposit return.")
    assert question.instructions.startswith("A question was put to a person")
    assert reply_in(question.state) == "go ahead" and '"lease_id": "L-7"' in question.state
    assert result.record.pauses[0].decision == {"approved": approves}  # type: ignore[union-attr]
    said = "returned the deposit of L-7" if approves else "Tool error: the call was rejected by clerk-3"
    assert result.output.text == said
    assert desk.told.runs == ([Deposit(lease_id="L-7")] if approves else [])


@pytest.mark.parametrize("probability", [float("nan"), 1.5, -0.1, float("inf"), True, "0.9", None])
async def test_what_is_no_probability_is_no_answer(desk: Desk, probability: Any) -> None:
    """S105, S106: neither approved nor rejected."""
    desk.decisions.when().answer(probability)
    await desk.asked(DEPOSIT)
    with pytest.raises(UninterpretableReplyError) as raised:
        await desk.reply("go ahead")
    assert isinstance(raised.value.__cause__, ModelAnswerError)
    await desk.untouched()


async def test_code_reads_in_the_pauses_own_frame(desk: Desk) -> None:
    """S065, S070, S094, S099, S101, S102, S104: question and reply as they came; tenant, owner, fields and step as the
    channel's send saw them; the pause waits while it is read."""
    seen: list[str] = []

    async def interpret(input: Any) -> Any:
        record = await desk.app._index.find("acme", desk.told.asks[0].pause_id)  # type: ignore[arg-type]
        seen.append(record.status)  # type: ignore[union-attr]
        return ReplyInterpretation.understood({"approved": True})

    desk.told.interpret = interpret
    started = await desk.asked(EXPENSE, fields={"project": "p-1"})
    reply = "0\n\n👍🏽 \u2028 ja" + "x" * 100_000
    result = await desk.reply(reply)
    assert (result.output.text, desk.told.runs, seen) == ("booked pens", [Expense(purpose="pens")], ["pending"])
    (given,) = desk.told.read
    assert given.reply == reply and given.ask.arguments == Expense(purpose="pens") and given.ask.tool == "expense-tool"
    sent, read = desk.told.frames
    assert sent == read
    assert (read["tenant"], read["owner"], read["execution"]) == ("acme", "customer-1", started.execution_id)
    assert read["fields"] == {"project": "p-1"} and None not in read["step"]
    assert desk.chat.requests == [] and desk.decisions.questions == []


async def _none(input: Any) -> Any:
    return ReplyInterpretation.not_understood(reason=f"not a button: {input.reply}")


async def _crash(input: Any) -> Any:
    raise ValueError("it broke")


async def _bare(input: Any) -> Any:
    return {"approved": True}


async def _overrides_on_a_rejection(input: Any) -> Any:
    return ReplyInterpretation.understood({"approved": False, "override_arguments": {"purpose": "x"}})


async def _wrong_overrides(input: Any) -> Any:
    return ReplyInterpretation.understood({"approved": True, "override_arguments": {"purpose": 7}})


async def _no_decision(input: Any) -> Any:
    return ReplyInterpretation.understood({})


async def _text(input: Any) -> Any:
    return ReplyInterpretation.understood("approved")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("interpret", "reason", "cause"),
    [
        (_none, "not a button: hm", None),
        (_crash, "it broke", ValueError),
        (_bare, None, DtoValidationError),
        (_overrides_on_a_rejection, None, DtoValidationError),
        (_wrong_overrides, None, DtoValidationError),
        (_no_decision, None, DtoValidationError),
        (_text, None, DtoValidationError),
    ],
)
async def test_what_code_can_not_read_answers_nothing(desk: Desk, interpret: Any, reason: str | None, cause: Any) -> None:
    """S071, S072, S095, S096, S097, S100, S105, S106, S107, S108, G04: UninterpretableReplyError with the reason and, where an
    error is behind it, the cause; the pause waits; a clearer reply then answers it."""
    desk.told.interpret = interpret
    await desk.asked(EXPENSE)
    with pytest.raises(UninterpretableReplyError) as raised:
        await desk.reply("hm")
    error = raised.value
    assert error.code == "pause.uninterpretable-reply"
    if cause is None:
        assert (error.reason, error.__cause__) == (reason, None)
    else:
        assert isinstance(error.__cause__, cause) and error.reason == str(error.__cause__)
        assert reason in (None, error.reason)
    await desk.untouched()
    assert len(desk.clerk.requests) == 1
    desk.told.interpret = None
    assert (await desk.reply("yes")).output.text == "booked pens"


async def test_after_a_bad_reply_a_decision_answers(desk: Desk) -> None:
    """S108, G04."""
    desk.told.interpret = _none
    await desk.asked(EXPENSE)
    with pytest.raises(UninterpretableReplyError):
        await desk.reply("hm")
    pause_id = desk.told.asks[0].pause_id
    result = await desk.app.resume(pause_id, decision={"approved": True}, owner_id="customer-1", tenant_id="acme")
    assert (result.output.text, len(desk.told.runs)) == ("booked pens", 1)


async def test_the_checks_come_in_their_order(desk: Desk) -> None:
    """S062, S066, S067, S069, S109, S110, R01, R02, G02: shape, look-up, credential, status, then the reading: an earlier fault
    wins, and nobody reads before all of them are passed."""
    await desk.asked(EXPENSE, MUTE)
    channels = [ask.channel for ask in desk.told.asks]
    expense, mute = channels.index("expense-approval-channel"), channels.index("mute-approval-channel")
    unknown = "0" * 32
    for bad in (
        {"reply": ""},
        {"reply": " \n"},
        {"reply": "x" * 200_001},
        {"reply": "ok", "decision": {"approved": True}},
        {},
    ):
        with pytest.raises(DtoValidationError):
            await desk.app.resume(unknown, tenant_id="acme", answered_by="m", **bad)  # type: ignore[call-overload]
    with pytest.raises(DtoValidationError, match="request_id"):
        await desk.app.resume(unknown, reply="yes", tenant_id="acme", answered_by="m", request_id="")
    with pytest.raises(PauseAnswererError):
        await desk.app.resume(unknown, reply="ok", tenant_id="acme")  # type: ignore[call-overload]
    with pytest.raises(UnknownPauseError):
        await desk.app.resume(unknown, reply="ok", answered_by="m", tenant_id="acme")
    with pytest.raises(UnknownPauseError):
        await desk.reply("yes", number=expense, tenant_id="other")
    with pytest.raises(PauseAnswererError):
        await desk.reply("yes", number=expense, answered_by="manager-17")
    with pytest.raises(ThreadOwnerError):
        await desk.reply("yes", number=expense, owner_id="somebody-else")
    with pytest.raises(ReplyInterpreterMissingError) as raised:
        await desk.reply("yes", number=mute)
    assert raised.value.code == "pause.no-reply-interpreter"
    assert desk.told.read == []
    await desk.untouched(expense)
    await desk.reply("yes", number=expense)
    with pytest.raises(NotPausedError):
        await desk.reply("yes", number=expense)
    assert len(desk.told.read) == 1


async def test_a_reply_that_is_overtaken_loses(desk: Desk) -> None:
    """S111: a decision recorded while a reply is read: the reply's caller gets NotPausedError; one run, one entry."""
    begun, go = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slow(input: Any) -> Any:
        loop.call_soon_threadsafe(begun.set)
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(go.wait(), loop))
        return ReplyInterpretation.understood({"approved": True})

    desk.told.interpret = slow
    await desk.asked(EXPENSE)
    reading = asyncio.create_task(desk.reply("yes"))
    await begun.wait()
    pause_id = desk.told.asks[0].pause_id
    decided = await desk.app.resume(
        pause_id, decision={"approved": False}, owner_id="customer-1", tenant_id="acme", record=True
    )
    go.set()
    with pytest.raises(NotPausedError):
        await reading
    assert decided.output.text == "Tool error: the call was rejected by customer-1"
    assert (len(decided.record.pauses), desk.told.runs) == (1, [])  # type: ignore[union-attr]


async def test_of_two_replies_at_once_one_wins(desk: Desk) -> None:
    """S094, S111, S236: two people reply differently at the same time: one answer, one NotPausedError, one run at most."""
    await desk.asked(EXPENSE)
    results = await asyncio.gather(desk.reply("yes"), desk.reply("no"), return_exceptions=True)
    lost = [result for result in results if isinstance(result, NotPausedError)]
    (won,) = [result for result in results if not isinstance(result, BaseException)]
    assert len(lost) == 1
    assert len(desk.told.runs) == int(won.output.text == "booked pens")


async def test_one_request_is_read_once(desk: Desk) -> None:
    """S065: a webhook that passes a message twice, at once or later, has it read once; another text under its id is refused."""
    desk.told.interpret = _none
    await desk.asked(EXPENSE)
    twice = await asyncio.gather(
        *(desk.reply("hm", request_id="mail-1") for _ in range(3)),
        desk.reply("hm", request_id="mail-2"),
        return_exceptions=True,
    )
    assert [type(one) for one in twice] == [UninterpretableReplyError] * 4
    with pytest.raises(UninterpretableReplyError):
        await desk.reply("hm", request_id="mail-1")
    assert len(desk.told.read) == 2
    with pytest.raises(DtoValidationError, match="request_id"):
        await desk.reply("yes", request_id="mail-1")
    await desk.untouched()


async def test_a_caller_who_does_not_wait(desk: Desk) -> None:
    """S247: a wait that is over, and a caller that is cancelled: the reading goes on, and its answer is taken."""
    go = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slow(input: Any) -> Any:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(go.wait(), loop))
        return ReplyInterpretation.understood({"approved": input.reply == "yes"})

    from datetime import timedelta

    desk.told.interpret = slow
    await desk.asked(EXPENSE)
    with pytest.raises(WaitTimeoutError):
        await desk.reply("yes", timeout=timedelta(seconds=0.5))
    await desk.untouched()
    cancelled = asyncio.create_task(desk.reply("later"))
    await desk.until(lambda: len(desk.told.read) == 2)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    go.set()
    await desk.until(lambda: len(desk.clerk.requests) == 2)


async def test_wait_false_waits_for_the_reading_alone(desk: Desk) -> None:
    """S105, S247: a reply that can't be read is told at once; one that can is recorded when the call returns."""
    desk.told.interpret = _none
    await desk.asked(EXPENSE)
    with pytest.raises(UninterpretableReplyError):
        await desk.app.resume(desk.told.asks[0].pause_id, reply="hm", owner_id="customer-1", tenant_id="acme", wait=False)
    desk.told.interpret = None
    result = await desk.app.resume(
        desk.told.asks[0].pause_id, reply="yes", owner_id="customer-1", tenant_id="acme", wait=False
    )
    assert (result.status, result.delivered) == ("running", True)
    await desk.until(lambda: len(desk.told.runs) == 1)
