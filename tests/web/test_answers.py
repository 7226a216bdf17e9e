"""Answering over HTTP."""

import asyncio

import pytest

from agboss.domain.executions import ExecutionResult
from tests.rig import PayerWorkflow, Rig, call
from tests.web.conftest import NO_TENANT_HAS, Site, code


async def paused(rig: Rig, *calls: object, **options: object) -> ExecutionResult[object]:
    """An execution with waiting calls; a payment unless told otherwise."""
    result = await rig.execute(list(calls) or [call("pay-tool", amount=10)], "paid", **options)
    assert result.status == "paused"
    return result


async def test_an_answer_goes_on_to_the_result(rig: Rig, site: Site) -> None:
    """S039, S047, S048, S055: a waited answer is 200 with the execution's result, and the tool ran once as it was asked."""
    result = await paused(rig)
    done = await site.answer(rig.ids[0], wait=True)
    assert (done.status_code, done.json()) == (
        200,
        {
            "status": "finished",
            "thread_id": result.thread_id,
            "execution_id": result.execution_id,
            "output": {"text": "paid"},
            "pending": [],
            "failure": None,
            "delivered": True,
            "repeated": False,
        },
    )
    assert [run[1].model_dump()["amount"] for run in rig.told.runs] == [10]


async def test_an_answer_that_nobody_waits_for(rig: Rig, site: Site) -> None:
    """S039: without wait it is 202 as soon as it is recorded, and delivered all the same."""
    result = await paused(rig)
    done = await site.answer(rig.ids[0])
    assert (done.status_code, done.json()["status"], done.json()["delivered"]) == (202, "running", True)
    await rig.until_ended(result)
    assert len(rig.told.runs) == 1


async def test_ids_that_are_none(rig: Rig, site: Site) -> None:
    """A03, S043, S044: a made-up id, the id of another tenant's pause, a shouted and a padded one are the same 404, byte for
    byte; the pause waits on, and no id is repeated."""
    await paused(rig)
    real = rig.ids[0]
    seen = [await site.answer(id) for id in (NO_TENANT_HAS, "", "ä\x00", real.upper() + "X", f" {real} ", f"{real}\n")]
    seen.append(await site.answer(real, tenant="other", by="other"))
    assert {code(one) for one in seen} == {(404, "pause.unknown")}
    assert len({one.content for one in seen}) == 1
    assert len({tuple(sorted(name for name in one.headers)) for one in seen}) == 1
    assert rig.told.runs == []
    assert (await site.answer(real, wait=True)).json()["status"] == "finished"


async def test_a_rejected_tool_is_never_entered(rig: Rig, site: Site) -> None:
    """B13, S057, S059: the model reads who rejected it and why, the tool doesn't run, the agent goes on."""
    await paused(rig)
    done = await site.answer(rig.ids[0], decision={"approved": False, "reason": "zu teuer ☂"}, wait=True)
    assert (done.json()["status"], rig.told.runs) == ("finished", [])
    assert rig.last_results() == {"t0c0": "Tool error: the call was rejected by manager-17: zu teuer ☂"}


async def test_content_arrives_as_it_was_sent(rig: Rig, site: Site) -> None:
    """C12, S049, S056: a reason of 2,000 characters of any script and overriding arguments arrive unchanged."""
    reason = "ü☂字😀" * 500
    await paused(rig)
    decision = {"approved": True, "reason": reason, "override_arguments": {"amount": 7, "to": "Zoë"}}
    await site.answer(rig.ids[0], decision=decision, wait=True)
    assert [(run[1].amount, run[1].to) for run in rig.told.runs] == [(7, "Zoë")]  # type: ignore[attr-defined]
    (entry,) = await rig.app._index.entries("acme", rig.told.frames[0][1]["execution"])  # type: ignore[arg-type]
    assert entry.decision is not None and entry.decision["reason"] == reason


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"reply": ""}, "dto.validation"),
        ({"reply": "  "}, "dto.validation"),
        ({"reply": "0"}, "pause.unknown"),
        ({"decision": {}, "reply": "yes"}, "dto.validation"),
        ({"decision": None}, "dto.validation"),
        ({"decision": []}, "dto.validation"),
        ({"decision": {"approved": True}, "approve": True}, "dto.validation"),
        ({"decision": {"approved": True}, "wait": "yes"}, "dto.validation"),
        ({"decision": {"approved": True}, "wait": True, "timeout_seconds": 301}, "dto.validation"),
        ({"decision": {"approved": True}, "answered_by": None}, "pause.wrong-answerer"),
        ({"decision": {}}, "pause.unknown"),
    ],
)
async def test_the_shape_comes_before_the_look_up(site: Site, body: dict[str, object], expected: str) -> None:
    """C12, S062, R02: an empty reply, both, neither, unknown fields and other types are refused before the id is looked up;
    falsy values that are legal get as far as the look-up."""
    assert code(await site.answer(NO_TENANT_HAS, **body))[1] == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "decision",
    [
        {},
        {"approved": "yes"},
        {"approved": 1},
        {"approved": True, "because": "4111"},
        {"approved": False, "override_arguments": {"amount": 4111}},
        {"approved": True, "override_arguments": {"amount": "4111x"}},
        {"approved": True, "override_arguments": {"amount": 1, "more": "4111"}},
        {"approved": True, "reason": "4111\n4111"},
    ],
)
async def test_a_decision_that_is_not_valid(rig: Rig, site: Site, decision: dict[str, object]) -> None:
    """S049–S053: 422 that names the field and no value, nothing is recorded, and a valid answer afterwards works."""
    result = await paused(rig)
    refused = await site.answer(rig.ids[0], decision=decision)
    assert code(refused) == (422, "dto.validation")
    assert refused.json()["problems"]
    assert "4111" not in refused.text and rig.ids[0] not in refused.text
    assert (await site.get(f"/tenants/acme/executions/{result.execution_id}")).json()["status"] == "paused"
    assert (await site.answer(rig.ids[0], wait=True)).json()["status"] == "finished"


async def test_a_reply_without_an_interpreter(rig: Rig, site: Site) -> None:
    """C12: a reply to a pause whose channel can't read one is 422, and the pause waits on."""
    await paused(rig)
    assert code(await site.answer(rig.ids[0], reply="go ahead")) == (422, "pause.no-reply-interpreter")
    assert (await site.answer(rig.ids[0])).status_code == 202


async def test_only_the_id_matters(rig: Rig, site: Site) -> None:
    """F04: whoever of the caller's own names clicks, with whatever else differing, the id inside the button is enough."""
    await paused(rig)
    done = await site.answer(rig.ids[0], answered_by="slack:T9:U2", wait=True)
    assert done.json()["status"] == "finished"


async def test_answers_in_any_order(rig: Rig, site: Site) -> None:
    """S045, S046, S060: each answer comes to rest with the others until the last; each decision stays with its call."""
    await paused(rig, *(call("pay-tool", amount=amount) for amount in (1, 2, 3)))
    by_amount = {ask.value.arguments.amount: ask.pause_id for ask in rig.told.asks}
    left = []
    for amount, approved in ((3, True), (1, False), (2, True)):
        done = (await site.answer(by_amount[amount], decision={"approved": approved}, wait=True)).json()
        left.append((done["status"], len(done["pending"])))
    assert left == [("paused", 2), ("paused", 1), ("finished", 0)]
    assert sorted(run[1].amount for run in rig.told.runs) == [2, 3]  # type: ignore[attr-defined]


async def test_the_same_answer_again(rig: Rig, site: Site) -> None:
    """R28: the same decision by the same responder is 200 and repeated, before and after its execution ended; another
    decision, another reason or another name is 409; the tool ran once."""
    await paused(rig)
    decision = {"approved": True, "reason": "fine"}
    first = await site.answer(rig.ids[0], decision=decision)
    assert (first.status_code, first.json()["repeated"]) == (202, False)
    again = await site.answer(rig.ids[0], decision=decision, wait=True)
    assert (again.status_code, again.json()["repeated"], again.json()["status"]) == (200, True, "finished")
    later = await site.answer(rig.ids[0], decision=decision)
    assert (later.status_code, later.json()["output"], later.json()["delivered"]) == (200, {"text": "paid"}, True)
    for more in (
        {"decision": {"approved": False, "reason": "fine"}},
        {"decision": {"approved": True}},
        {"decision": {"approved": "yes"}},
        {"decision": decision, "answered_by": "slack:U1"},
        {"reply": "fine"},
    ):
        assert code(await site.answer(rig.ids[0], **more)) == (409, "run.not-paused"), more  # type: ignore[arg-type]
    assert len(rig.told.runs) == 1


async def test_the_same_override_again(rig: Rig, site: Site) -> None:
    """R24, R28: an override is the same one though it was completed with the hidden fields when it was recorded."""
    await paused(rig)
    decision = {"approved": True, "override_arguments": {"amount": 3}}
    await site.answer(rig.ids[0], decision=decision, wait=True)
    again = await site.answer(rig.ids[0], decision=decision)
    assert (again.status_code, again.json()["repeated"]) == (200, True)
    other = {"approved": True, "override_arguments": {"amount": 4}}
    assert code(await site.answer(rig.ids[0], decision=other)) == (409, "run.not-paused")


async def test_an_answer_after_a_cancel(rig: Rig, site: Site) -> None:
    """S061, R28: a pause that was cancelled without an answer is 409 for every answer."""
    result = await paused(rig, thread_id="t1", owner_id=None, workflow=PayerWorkflow)
    cancelled = await site.post("/tenants/acme/threads/t1/cancel", {"cancelled_by": "manager-17"})
    assert cancelled.json() == {"thread_id": "t1", "cancelled": True}
    assert code(await site.answer(rig.ids[0])) == (409, "run.not-paused")
    await rig.until_ended(result)
    assert rig.told.runs == []


async def test_a_wait_that_ends(rig: Rig, site: Site) -> None:
    """The wait alone is over: 504 names the execution, the answer is recorded and nothing is lost."""
    result = await paused(rig)

    async def slow(tool: str, input: object) -> str:
        await asyncio.sleep(1.5)
        return "done"

    rig.told.on_run = slow
    late = await site.answer(rig.ids[0], wait=True, timeout_seconds=0.3)
    assert code(late) == (504, "run.wait-timeout")
    assert (late.json()["thread_id"], late.json()["execution_id"]) == (result.thread_id, result.execution_id)
    assert rig.ids[0] not in late.text
    again = await site.answer(rig.ids[0], wait=True)
    assert (again.status_code, again.json()["repeated"], again.json()["status"]) == (200, True, "finished")
