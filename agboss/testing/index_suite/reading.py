"""Readings of replies: kept, joined, settled once, dropped, removed."""

import asyncio

from agboss.domain.conversation import Usage
from agboss.domain.failures import FailureRecord
from agboss.domain.ids import ReadingId
from agboss.domain.pauses import PauseAnswerer, PauseResolution, PauseStatus
from agboss.errors import DtoValidationError
from agboss.ports.pause_index import Answer, BeginReading, Responder, SettleReading
from agboss.testing.index_suite.world import ACME, Asked, Suite, raises

ID = ReadingId("reading-1")
MANAGER = Responder(answerer=PauseAnswerer.CHANNEL, name="manager-17")
YES = Answer(decision={"approved": True}, masked_decision={"approved": True}, responder=MANAGER)


def _begin(asked: Asked, reply: str = "ok", *, id: ReadingId = ID, by: str = "manager-17") -> BeginReading:
    responder = Responder(answerer=PauseAnswerer.CHANNEL, name=by)
    return BeginReading(
        reading=id, tenant=ACME, step_key=asked.key, interpreter="a-reply-interpreter", reply=reply, responder=responder
    )


class Reading(Suite):
    """From a kept reply to its outcome."""

    async def test_a_reply_is_kept_as_it_came(self) -> None:
        """S065: with its pause, its step and its frame; half a surrogate pair and 100 kB too."""
        async with self.world() as w:
            asked = await w.asked()
            reply = "ok\n\u2028é 👍🏽 \ud83d" + "x" * 100_000
            assert await w.index.begin_reading(_begin(asked, reply))
            found = await w.index.reading(ID)
            assert found is not None and found.place is not None
            assert (found.reply, found.responder, found.outcome) == (reply, MANAGER, None)
            assert found.place.pause == await w.record(asked)
            assert found.place.frame.fields == {"trace": 1}
            assert found.place.call.step_key == asked.key and found.place.node == "support-agent"
            assert await w.index.reading(ReadingId("another")) is None

    async def test_the_same_request_is_one_reading(self) -> None:
        """S065: begun again it is found; another text or another person under the same id is refused."""
        async with self.world() as w:
            asked = await w.asked()
            assert await w.index.begin_reading(_begin(asked))
            assert not await w.index.begin_reading(_begin(asked))
            for other in (_begin(asked, "no"), _begin(asked, by="manager-18")):
                with raises(DtoValidationError):
                    await w.index.begin_reading(other)
            await w.index.settle_reading(SettleReading(reading=ID, reason="unclear"))
            assert not await w.index.begin_reading(_begin(asked))
            with raises(DtoValidationError):
                await w.index.begin_reading(_begin(asked, "no"))

    async def test_an_answer_is_recorded_with_its_reading(self) -> None:
        """S064, S131, R18: T1 in the same transaction; the text is gone, what the model used stays."""
        async with self.world() as w:
            asked = await w.asked()
            await w.index.begin_reading(_begin(asked))
            usage = Usage(input_tokens=7, output_tokens=3, cost=0.25)
            settled = await w.index.settle_reading(SettleReading(reading=ID, answer=YES, usage=usage))
            assert settled is not None
            assert (settled.outcome, settled.reply, settled.rest_no, settled.usage) == ("answered", None, 0, usage)
            record = await w.record(asked)
            assert (record.status, record.resolution) == (PauseStatus.RESOLVED, PauseResolution.REPLIED)
            assert record.answer == YES
            assert len(await w.index.entries(ACME, asked.ref.root)) == 1
            assert await w.index.reading(ID) == settled

    async def test_an_unreadable_reply_changes_nothing_else(self) -> None:
        """S105, S107: reason and failure are kept, the pause waits, nothing is recorded of it; a later outcome is ignored."""
        async with self.world() as w:
            asked = await w.asked()
            before = await w.record(asked)
            await w.index.begin_reading(_begin(asked))
            failure = FailureRecord(class_path="builtins:ValueError", code=None, message="bad")
            unread = SettleReading(reading=ID, reason="bad \ud83d", failure=failure)
            settled = await w.index.settle_reading(unread)
            assert settled is not None and (settled.outcome, settled.reason) == ("unreadable", "bad \ud83d")
            assert (settled.failure, settled.reply, settled.usage) == (failure, None, None)
            assert await w.index.settle_reading(SettleReading(reading=ID, answer=YES)) == settled
            assert await w.record(asked) == before
            assert await w.index.entries(ACME, asked.ref.root) == ()
            await w.resolve(asked)

    async def test_of_readings_and_decisions_at_once_one_wins(self) -> None:
        """S111, S236: ten readings and a decision at once: one answer; every other reading is too late."""
        async with self.world() as w:
            asked = await w.asked()
            ids = [ReadingId(f"reading-{number}") for number in range(10)]
            for id in ids:
                await w.index.begin_reading(_begin(asked, id=id))
            await asyncio.gather(
                w.resolve(asked, by="manager-18"),
                *(w.index.settle_reading(SettleReading(reading=id, answer=YES)) for id in ids),
                return_exceptions=True,
            )
            outcomes = [found.outcome for id in ids if (found := await w.index.reading(id)) is not None]
            record = await w.record(asked)
            assert record.answer is not None and record.answer.responder is not None
            won = int(record.answer.responder.name == "manager-17")
            assert sorted(str(outcome) for outcome in outcomes) == ["answered"] * won + ["too-late"] * (10 - won)
            assert len(await w.index.entries(ACME, asked.ref.root)) == 1

    async def test_a_closed_pause_can_not_be_answered_by_a_reading(self) -> None:
        """S111: taken back while it was read: too late, and the record stays as it was closed."""
        async with self.world() as w:
            asked = await w.asked()
            await w.index.begin_reading(_begin(asked))
            await w.fence(asked.ref)
            settled = await w.index.settle_reading(SettleReading(reading=ID, answer=YES))
            assert settled is not None and settled.outcome == "too-late"
            assert (await w.record(asked)).status is PauseStatus.CANCELLED

    async def test_a_dropped_reading_does_nothing(self) -> None:
        """R01: dropped before it was settled, whoever reads finds nothing; a settled one is not dropped."""
        async with self.world() as w:
            asked = await w.asked()
            await w.index.begin_reading(_begin(asked))
            await w.index.drop_reading(ID)
            await w.index.drop_reading(ID)
            assert await w.index.settle_reading(SettleReading(reading=ID, answer=YES)) is None
            assert (await w.record(asked)).status is PauseStatus.PENDING
            await w.index.begin_reading(_begin(asked))
            settled = await w.index.settle_reading(SettleReading(reading=ID, answer=YES))
            await w.index.drop_reading(ID)
            assert await w.index.reading(ID) == settled

    async def test_old_readings_are_removed(self) -> None:
        """S166: read or not, after retention; the pause itself is not touched."""
        async with self.world() as w:
            asked = await w.asked()
            for number in range(3):
                await w.index.begin_reading(_begin(asked, id=ReadingId(f"reading-{number}")))
                w.clock.advance(60)
            w.clock.advance(-60)
            assert await w.index.delete_readings_before(w.clock.now(), limit=1) == 1
            assert await w.index.delete_readings_before(w.clock.now(), limit=10) == 1
            left = [await w.index.reading(ReadingId(f"reading-{number}")) for number in range(3)]
            assert [one is not None for one in left] == [False, False, True]
            assert (await w.record(asked)).status is PauseStatus.PENDING
