"""Who may call, and for whom."""

import pytest

from agboss.ports.callers import Caller
from agboss.web.secrets import new_secret, secret_hash
from tests.rig import Rig, call
from tests.web.conftest import DESK, NO_TENANT_HAS, OTHER, Site, code, let_in, served

REQUESTS = [
    ("GET", "/tenants/acme/pending", None),
    ("GET", f"/tenants/acme/executions/{NO_TENANT_HAS}", None),
    ("POST", "/tenants/acme/answers", {"pause_id": NO_TENANT_HAS, "decision": {"approved": True}, "answered_by": "x"}),
    ("POST", "/tenants/acme/executions", {"workflow": "payer-workflow", "input": {"text": "x"}}),
    ("POST", "/tenants/acme/threads/t1/cancel", {}),
]
"""Every address that does something."""


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_nobody_is_let_in_without_a_secret(site: Site, method: str, path: str, body: object) -> None:
    """F08: no header, another scheme, a wrong secret, a name or a hash in place of the secret: 401, the same document."""
    secret = site.secrets["desk"]
    wrong = ["", "Bearer", f"Basic {secret}", "Bearer desk", f"Bearer {secret[:-1]}", f"Bearer {secret}x"]
    wrong += [f"Bearer {secret_hash(secret)}", "Bearer *", f"Bearer {new_secret()}", secret]
    seen = [await site.send(method, path, by=None, json=body)]
    seen += [await site.send(method, path, by=None, json=body, headers={"Authorization": one}) for one in wrong]
    assert {code(one) for one in seen} == {(401, "caller.unknown")}
    assert len({one.content for one in seen}) == 1
    assert {one.headers["www-authenticate"] for one in seen} == {"Bearer"}


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_without_any_caller_nobody_is_let_in(rig: Rig, method: str, path: str, body: object) -> None:
    """F08: a registry without callers means 401 for everybody, and never that all are accepted."""
    async with rig.declaration.serving(rig.settings) as serving, served(serving, {"me": new_secret()}) as site:
        assert code(await site.send(method, path, by="me", json=body)) == (401, "caller.unknown")
        assert code(await site.send(method, path, by=None, json=body)) == (401, "caller.unknown")


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_another_tenants_caller(site: Site, method: str, path: str, body: object) -> None:
    """S044: a caller of another tenant is 403 before anything is read or looked up, whatever it asks for."""
    assert code(await site.send(method, path, by="other", json=body)) == (403, "caller.tenant")
    assert code(await site.send(method, path, by="other", content=b"no JSON")) == (403, "caller.tenant")


async def test_a_revoked_secret(site: Site) -> None:
    """A secret that is revoked is refused from the next request on, in a server that runs."""
    assert (await site.get("/tenants/acme/pending")).status_code == 200
    await site.serving.callers.revoke("desk")
    assert code(await site.get("/tenants/acme/pending")) == (401, "caller.unknown")


async def test_names_that_are_not_the_callers(rig: Rig, site: Site) -> None:
    """F08: who answers is what the secret may say, and never what the body says: another name, a prefix alone, an owner's
    claim are 403, also for ids that no pause has, and the pause waits on."""
    await rig.execute([call("pay-tool", amount=1)], "paid")
    for pause_id in (rig.ids[0], NO_TENANT_HAS):
        for name in ("manager-18", "slack:", "", "*"):
            refused = await site.answer(pause_id, answered_by=name)
            assert code(refused) == (403, "caller.answers-as")
        assert code(await site.answer(pause_id, owner_id="customer-1")) == (403, "caller.owner")
        assert code(await site.answer(pause_id, by="portal")) == (403, "caller.answers-as")
        assert code(await site.answer(pause_id, by="portal", owner_id="customer-2")) == (403, "caller.owner")
    assert (await site.answer(rig.ids[0])).status_code == 202


async def test_credentials_of_the_wrong_kind(rig: Rig, site: Site) -> None:
    """S137–S140, R30: an owner's claim for a channel's pause, a channel's name for the owner's, another owner, both, and the
    owner where two people are needed: each refused with its code, and the pauses wait on."""
    both = Caller(name="both", tenants=("*",), answers_as=("customer-1", "m"), owners=("*",))
    site.secrets |= await let_in(site.serving.callers, both)
    await rig.execute([call("pay-tool", amount=1), call("publish-tool", text="x"), call("four-eyes-tool", text="x")], "done")
    ids = {ask.value.tool: ask.pause_id for ask in rig.told.asks}

    async def refused(tool: str, **more: object) -> tuple[int, str]:
        return code(await site.answer(ids[tool], by="both", **more))  # type: ignore[arg-type]

    wrong = (403, "pause.wrong-answerer")
    assert await refused("pay-tool", owner_id="customer-1") == wrong
    assert await refused("publish-tool", answered_by="m") == wrong
    assert await refused("pay-tool", owner_id="customer-1", answered_by="m") == wrong
    assert await refused("publish-tool", owner_id="customer-2") == (403, "run.thread-owner")
    assert await refused("four-eyes-tool", answered_by="customer-1") == (403, "pause.four-eyes")
    for tool, more in (("pay-tool", {}), ("publish-tool", {"owner_id": "customer-1"}), ("four-eyes-tool", {})):
        more = more or {"answered_by": "m"}
        assert (await site.answer(ids[tool], by="both", **more)).status_code == 202  # type: ignore[arg-type]


async def test_starting_and_cancelling_are_rights(site: Site) -> None:
    """A caller that only answers starts and cancels nothing, and nobody starts or cancels in another's name."""
    site.secrets |= await let_in(site.serving.callers, Caller(name="clicks", tenants=("acme",), answers_as=("m",)))
    start = {"workflow": "clerk-workflow", "input": {"text": "x"}, "owner_id": "customer-1"}
    assert code(await site.post("/tenants/acme/executions", start, by="clicks")) == (403, "caller.starts")
    assert code(await site.post("/tenants/acme/executions", start, by="desk")) == (403, "caller.owner")
    cancel = "/tenants/acme/threads/t1/cancel"
    assert code(await site.post(cancel, {"cancelled_by": "m"}, by="clicks")) == (403, "caller.starts")
    assert code(await site.post(cancel, {"cancelled_by": "m"})) == (403, "caller.answers-as")
    assert code(await site.post(cancel, {"owner_id": "customer-1"})) == (403, "caller.owner")


def test_secrets_are_random_and_kept_as_hashes() -> None:
    """256 bits: 43 characters after a prefix that can be searched for; the hash is SHA-256 and shows nothing of it."""
    secrets = {new_secret() for _ in range(100)}
    assert len(secrets) == 100
    assert {len(secret.removeprefix("agboss_")) for secret in secrets} == {43}
    assert {len(secret_hash(secret)) for secret in secrets} == {64}
    assert DESK != OTHER and not any(secret in repr(DESK) for secret in secrets)
