"""What observers hear."""

import itertools

import pytest

from tests.rig import Rig, call


async def test_one_event_for_each_thing_that_happens(rig: Rig) -> None:
    """S034, S035, S038, R07, B12: one start, one pause event a rest, one resume event an answer taken, one end, all under one
    execution id and numbered without gaps; the second pause event lists only what still waits."""
    paused = await rig.execute([call("pay-tool", amount=1), call("pay-tool", amount=2)], "done")
    sends = len(rig.ids)
    await rig.answer(rig.ids[0])
    await rig.answer(rig.ids[1])
    await rig.until(lambda: "end" in rig.kinds())
    assert rig.kinds() == ["start", "pause", "resume", "pause", "resume", "end"]
    assert {event.execution_id for event in rig.told.events} == {paused.execution_id}
    assert [event.number for event in rig.told.events] == [1, 2, 3, 4, 5, 6]
    assert [len(event.pending) for event in rig.told.events if event.kind == "pause"] == [2, 1]
    assert len(rig.ids) == sends


async def test_the_resume_event_says_who_answered(rig: Rig) -> None:
    """S132: answered_by is in the resume event."""
    await rig.execute([call("pay-tool", amount=1)], "done")
    await rig.answer(rig.ids[0], answered_by="manager-9")
    await rig.until(lambda: "resume" in rig.kinds())
    assert next(e.answered_by for e in rig.told.events if e.kind == "resume") == "manager-9"


async def test_an_execution_that_never_rests_fires_no_pause_event(rig: Rig) -> None:
    """S037, S156, S250: a channel that decides at once causes no pause."""
    result = await rig.execute([call("approved-tool")], "done", record=True)
    await rig.until(lambda: "end" in rig.kinds())
    assert rig.kinds() == ["start", "end"]
    assert result.record is not None
    assert [(e.resolution, e.responder, e.decision) for e in result.record.pauses] == [("decided", None, {"approved": True})]


async def test_a_hook_that_raises_changes_nothing(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    """S038: a throwing observer is a warning, and later events still come."""
    seen = itertools.count()

    class Failing(list):  # type: ignore[type-arg]
        def append(self, event: object) -> None:
            super().append(event)
            if next(seen) == 0:
                raise RuntimeError("observer broke")

    rig.told.events = Failing()
    result = await rig.execute([call("approved-tool")], "done")
    await rig.until(lambda: "end" in rig.kinds())
    assert result.output.text == "done"
    assert [r for r in caplog.records if getattr(r, "code", "") == "observer.failed"]
