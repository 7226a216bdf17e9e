"""Channels that decide at once."""

from typing import Any

import pytest

from agboss import ChannelOutcome, ToolCallApprovalDecision
from agboss.errors import AgentFailedError, DtoValidationError
from tests.rig import Rig, call

INVALID: dict[str, Any] = {
    "overrides on a rejection": {"approved": False, "override_arguments": {"amount": 1}},
    "overrides of the wrong type": {"approved": True, "override_arguments": {"amount": "a-secret"}},
    "overrides lack a field": {"approved": True, "override_arguments": {"to": "bob"}},
    "overrides with an unknown field": {"approved": True, "override_arguments": {"amount": 1, "tip": 2}},
    "an unknown field": {"approved": True, "verdict": "ok"},
    "approved is no truth value": {"approved": "yes"},
    "nothing": {},
    "a model of overrides the tool doesn't accept": ToolCallApprovalDecision(approved=True, override_arguments={"tip": 2}),
}


@pytest.mark.parametrize("decision", INVALID.values(), ids=INVALID.keys())
async def test_an_invalid_decision_of_a_channel_fails_the_step(rig: Rig, decision: Any) -> None:
    """S054: AgentFailedError with the validation error as its cause; run is not entered, nothing paused or is pending, and
    nothing is taken back."""

    async def decides(_: object) -> ChannelOutcome:
        return ChannelOutcome.decided(decision)

    rig.told.on_send = decides
    with pytest.raises(AgentFailedError) as raised:
        await rig.execute([call("pay-tool", amount=5)], "done")
    cause = raised.value.__cause__
    assert isinstance(cause, DtoValidationError)
    assert (cause.code, "a-secret" in str(cause)) == ("dto.validation", False)
    await rig.until(lambda: "error" in rig.kinds())
    await rig.app.sweep()
    assert (rig.told.runs, rig.told.withdrawals, "pause" in rig.kinds()) == ([], [], False)
    assert await rig.app.pending(tenant_id="acme") == ()
    assert (len(rig.ids), len(rig.models.requests)) == (1, 1)
