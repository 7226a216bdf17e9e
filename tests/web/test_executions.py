"""Starting, looking, listing and cancelling over HTTP."""

from tests.rig import Rig, call, script
from tests.web.conftest import NO_TENANT_HAS, Site, code

PAY = {"workflow": "payer-workflow", "input": {"text": script([call("pay-tool", amount=10)], "paid")}}
PUBLISH = {"workflow": "clerk-workflow", "input": {"text": script([call("publish-tool", text="x")], "out")}}


async def test_starting_until_it_pauses(rig: Rig, site: Site) -> None:
    """S032: a waited start is 200 at the first rest, with what waits and without the channel's id; its address tells the same."""
    paused = await site.post("/tenants/acme/executions", PAY | {"thread_id": "mail/7", "wait": True})
    document = paused.json()
    assert (paused.status_code, document["status"], document["thread_id"]) == (200, "paused", "mail/7")
    assert [(pause["pause_id"], pause["ask"]["tool"]) for pause in document["pending"]] == [(None, "pay-tool")]
    assert rig.ids[0] not in paused.text and "4111-1111" not in paused.text
    looked = await site.get(f"/tenants/acme/executions/{document['execution_id']}")
    assert (looked.status_code, looked.json()) == (200, document)


async def test_starting_without_waiting(rig: Rig, site: Site) -> None:
    """202 as soon as Temporal has it; fields arrive in the execution's context; a busy thread is 409, another's 403."""
    start = PAY | {"thread_id": "mail-4111", "owner_id": "customer-1", "fields": {"trace": [1, "ü"]}}
    started = await site.post("/tenants/acme/executions", start, by="portal")
    assert (started.status_code, started.json()["status"]) == (202, "running")
    await rig.until(lambda: len(rig.ids) == 1)
    assert rig.told.frames[0][1]["fields"] == {"trace": [1, "ü"]}
    busy = await site.post("/tenants/acme/executions", start, by="portal")
    assert code(busy) == (409, "run.thread-busy") and "4111" not in busy.text
    another = await site.post("/tenants/acme/executions", PAY | {"thread_id": "mail-4111"})
    assert code(another) == (403, "run.thread-owner") and "4111" not in another.text


async def test_starts_that_are_refused(site: Site) -> None:
    """An unknown workflow is 404; an input that is none, a blank thread, an owner that is missing are 422; no value is told."""
    for more, expected in (
        ({"workflow": "4111-workflow"}, (404, "workflow.unknown")),
        ({"input": {"txt": "4111"}}, (422, "dto.validation")),
        ({"input": "4111"}, (422, "dto.validation")),
        ({"thread_id": " "}, (422, "dto.validation")),
        ({"thread_id": "4111\n"}, (422, "dto.validation")),
        ({"timeout": 4111}, (422, "dto.validation")),
        ({"workflow": "clerk-workflow"}, (422, "run.owner-required")),
    ):
        refused = await site.post("/tenants/acme/executions", PAY | more)  # type: ignore[operator]
        assert code(refused) == expected
        assert "4111" not in refused.text
    assert (await site.get("/tenants/acme/pending")).json() == {"pending": []}


async def test_one_that_failed_and_one_that_was_cancelled(rig: Rig, site: Site) -> None:
    """A failed or cancelled execution is a good response about it: 200 with its status, and what it failed with."""
    failing = {"workflow": "receipt-workflow", "input": {"text": script("this is no receipt")}}
    failed = await site.post("/tenants/acme/executions", failing | {"wait": True})
    assert (failed.status_code, failed.json()["status"], failed.json()["output"]) == (200, "failed", None)
    assert failed.json()["failure"]["code"].startswith("step")
    paused = (await site.post("/tenants/acme/executions", PAY | {"thread_id": "t1", "wait": True})).json()
    for expected in (True, False):
        done = await site.post("/tenants/acme/threads/t1/cancel", {"cancelled_by": "manager-17"})
        assert (done.status_code, done.json()) == (200, {"thread_id": "t1", "cancelled": expected})
    await rig.until(lambda: len(rig.told.withdrawals) == 1)
    looked = await site.get(f"/tenants/acme/executions/{paused['execution_id']}")
    while looked.json()["status"] != "cancelled":
        looked = await site.get(f"/tenants/acme/executions/{paused['execution_id']}")
    assert (looked.status_code, looked.json()["pending"], rig.told.runs) == (200, [], [])


async def test_cancelling_an_owned_thread(rig: Rig, site: Site) -> None:
    """S063, R26: by its owner or by an operator by name, never by nobody; a thread with slashes is one name; another tenant's
    thread of that name is untouched."""
    start = PUBLISH | {"thread_id": "a/b/cancel", "owner_id": "customer-1", "wait": True}
    await site.post("/tenants/acme/executions", start, by="portal")
    cancel = "threads/a/b/cancel/cancel"
    assert code(await site.post(f"/tenants/acme/{cancel}", {})) == (403, "pause.wrong-answerer")
    other = await site.post(f"/tenants/other/{cancel}", {"cancelled_by": "manager-17"}, by="other")
    assert other.json() == {"thread_id": "a/b/cancel", "cancelled": False}
    done = await site.post(f"/tenants/acme/{cancel}", {"owner_id": "customer-1"}, by="portal")
    assert done.json() == {"thread_id": "a/b/cancel", "cancelled": True}


async def test_looking_at_nothing(rig: Rig, site: Site) -> None:
    """An execution that isn't there, and one of another tenant, are the same 404."""
    result = await rig.execute([call("pay-tool", amount=1)], "paid", tenant_id="other")
    seen = [await site.get(f"/tenants/acme/executions/{one}") for one in (NO_TENANT_HAS, result.execution_id, "%00", "ä")]
    assert {code(one) for one in seen} == {(404, "run.unknown")}
    assert len({one.content for one in seen}) == 1


async def test_who_sees_which_ids(rig: Rig, site: Site) -> None:
    """R32: ids of an owner's pauses are in that owner's list and responses alone, for a caller that may claim the owner; those
    of a channel's pauses are nowhere; the owner answers with one."""
    await rig.execute([call("pay-tool", amount=1), call("publish-tool", text="x")], "done", thread_id="t1")
    await rig.execute([call("publish-tool", text="y")], "done", owner_id="customer-2", thread_id="t2")
    ids = {ask.value.summary: ask.pause_id for ask in rig.told.asks}
    everything = await site.get("/tenants/acme/pending")
    assert [pause["pause_id"] for pause in everything.json()["pending"]] == [None] * 3
    assert len((await site.get("/tenants/acme/pending?limit=2")).json()["pending"]) == 2
    for limit in ("0", "1001", "x"):
        assert code(await site.get(f"/tenants/acme/pending?limit={limit}")) == (422, "dto.validation")
    assert code(await site.get("/tenants/acme/pending?owner=customer-1")) == (403, "caller.owner")
    assert code(await site.get("/tenants/acme/pending?owner=customer-2", by="portal")) == (403, "caller.owner")
    own = (await site.get("/tenants/acme/pending?owner=customer-1", by="portal")).json()["pending"]
    seen = {pause["ask"]["tool"]: pause["pause_id"] for pause in own}
    assert seen["pay-tool"] is None and seen["publish-tool"] in ids.values()
    assert {pause["thread_id"] for pause in own} == {"t1"}
    looked = await site.get(f"/tenants/acme/executions/{own[0]['execution_id']}", by="portal")
    assert not any(pause_id in looked.text for pause_id in ids.values())
    done = await site.answer(seen["publish-tool"], by="portal", owner_id="customer-1", wait=True)
    assert (done.status_code, done.json()["status"]) == (200, "paused")
    assert [pause["pause_id"] for pause in done.json()["pending"]] == [None]


async def test_an_owner_starts_and_is_given_the_ids(rig: Rig, site: Site) -> None:
    """R32: whoever starts as the owner is given the ids of the owner's pauses; a channel's answer on the same execution isn't."""
    both = script([call("pay-tool", amount=1), call("publish-tool", text="x")], "done")
    start = {"workflow": "clerk-workflow", "input": {"text": both}, "owner_id": "customer-1", "wait": True}
    started = await site.post("/tenants/acme/executions", start, by="portal")
    ids = {ask.value.tool: ask.pause_id for ask in rig.told.asks}
    assert {pause["pause_id"] for pause in started.json()["pending"]} == {None, ids["publish-tool"]}
    answered = await site.answer(ids["pay-tool"], wait=True)
    assert [pause["pause_id"] for pause in answered.json()["pending"]] == [None]
