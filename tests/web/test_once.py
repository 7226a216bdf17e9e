"""Idempotency keys."""

import asyncio

from agboss import ChannelOutcome
from tests.rig import Rig, call, script
from tests.web.conftest import NO_TENANT_HAS, Site, code

PAY = {"workflow": "payer-workflow", "input": {"text": script([call("pay-tool", amount=10)], "paid")}}
START = "/tenants/acme/executions"


async def test_one_key_starts_once(rig: Rig, site: Site) -> None:
    """C09: retries of a start with the same key and body are one execution and the same response, byte for byte, which says
    that it is a repeat; without a key each is one of its own."""
    key = {"Idempotency-Key": "order-17"}
    seen = [await site.post(START, PAY | {"wait": True}, headers=key) for _ in range(3)]
    assert [one.status_code for one in seen] == [200, 200, 200]
    assert len({one.content for one in seen}) == 1
    assert [one.headers.get("idempotent-replayed") for one in seen] == [None, "true", "true"]
    assert len(rig.told.asks) == 1
    await site.post(START, PAY | {"wait": True})
    assert len(rig.told.asks) == 2


async def test_one_key_at_the_same_time(rig: Rig, site: Site) -> None:
    """C09: of ten at once with one key one starts; the others are told to come later, or given its response."""
    key = {"Idempotency-Key": "order-17"}
    seen = await asyncio.gather(*(site.post(START, PAY, headers=key) for _ in range(10)))
    ids = {one.json()["execution_id"] for one in seen if one.status_code == 202}
    assert len(ids) == 1
    assert {code(one) for one in seen if one.status_code != 202} <= {(409, "http.key-in-use")}
    assert all("retry-after" in one.headers for one in seen if one.status_code == 409)
    assert (await site.post(START, PAY, headers=key)).json()["execution_id"] in ids


async def test_a_key_whose_request_still_waits(rig: Rig, site: Site) -> None:
    """C09: what was started stands under its key before it is waited for, so that a client whose connection broke meanwhile
    gets the execution it began, and at the end the response of its wait."""
    key = {"Idempotency-Key": "order-17"}
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def send(ask: object) -> ChannelOutcome:
        reached.set()
        await go_on.wait()
        return ChannelOutcome.await_reply()

    rig.told.on_send = send
    first = asyncio.create_task(site.post(START, PAY | {"wait": True}, headers=key))
    await reached.wait()
    meanwhile = await site.post(START, PAY | {"wait": True}, headers=key)
    go_on.set()
    assert (meanwhile.status_code, meanwhile.json()["status"]) == (202, "running")
    assert meanwhile.json()["execution_id"] == (await first).json()["execution_id"]
    assert (await site.post(START, PAY | {"wait": True}, headers=key)).content == (await first).content
    assert len(rig.told.asks) == 1


async def test_a_key_of_another_request(rig: Rig, site: Site) -> None:
    """The same key with another body or at another address is 422 and does nothing; another caller's key is its own."""
    key = {"Idempotency-Key": "k"}
    first = await site.post(START, PAY, headers=key)
    assert code(await site.post(START, PAY | {"thread_id": "t"}, headers=key)) == (422, "http.key-reused")
    assert code(await site.answer(NO_TENANT_HAS, key="k")) == (422, "http.key-reused")
    other = await site.post(START, PAY, headers=key, by="portal")
    assert other.status_code == 202 and other.json()["execution_id"] != first.json()["execution_id"]


async def test_a_key_that_is_none(site: Site) -> None:
    """A key that is empty, too long or not ASCII is 422."""
    for key in ("", "k" * 201, "a b"):
        assert code(await site.post(START, PAY, headers={"Idempotency-Key": key})) == (422, "dto.validation")


async def test_an_answer_under_a_key(rig: Rig, site: Site) -> None:
    """C09, R28: a retried answer with its key is the first response; with another key it is known as repeated."""
    await rig.execute([call("pay-tool", amount=1)], "paid")
    first, again = [await site.answer(rig.ids[0], key="click-1", wait=True) for _ in range(2)]
    assert (first.content, first.json()["repeated"]) == (again.content, False)
    assert (await site.answer(rig.ids[0], key="click-2")).json()["repeated"] is True
    assert len(rig.told.runs) == 1


async def test_a_refusal_under_a_key(rig: Rig, site: Site) -> None:
    """A refusal stands under its key like any response; what was never let in takes no key."""
    await rig.execute([call("pay-tool", amount=1)], "paid")
    assert code(await site.answer(rig.ids[0], key="k", answered_by="nobody")) == (403, "caller.answers-as")
    invalid = await site.answer(rig.ids[0], key="k", decision={"approved": "yes"})
    assert code(invalid) == (422, "dto.validation")
    again = await site.answer(rig.ids[0], key="k", decision={"approved": "yes"})
    assert (again.content, again.headers["idempotent-replayed"]) == (invalid.content, "true")
    assert (await site.answer(rig.ids[0], key="k2")).status_code == 202
