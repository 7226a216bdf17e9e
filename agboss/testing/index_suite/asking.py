"""T3: opening a question before it is sent."""

from dataclasses import replace

from agboss.domain.ids import PauseId
from agboss.domain.pauses import PauseResolution, PauseStatus
from agboss.ports.pause_index import OpenFound, OpenRefused
from agboss.testing.index_suite.world import ACME, Asked, Suite


class Asking(Suite):
    """A record before its question is seen."""

    async def test_the_record_is_there_before_the_send(self) -> None:
        """S134, S146: the id is made once, before the first send; is_sent turns true when the send has returned."""
        async with self.world() as w:
            ref = await w.start()
            (key,) = await w.turn(ref, {"amount": 10})
            opened = await w.opened(ref, key)
            asked = Asked(ref, key, opened.pause_id)
            assert opened.attempt == 1 and opened.call.arguments == {"amount": 10} and opened.node == "support-agent"
            assert opened.frame.tenant == ACME
            record = await w.record(asked)
            assert record.status is PauseStatus.PENDING and not record.is_sent
            assert record.arguments == {"amount": 10} and record.tool == "refund-tool" and record.agent == "support-agent"
            assert record.channel == "refund-approval-channel" and record.path == "support-agent.0"
            await w.sent(ref, key)
            assert (await w.record(asked)).is_sent

    async def test_ids_are_random(self) -> None:
        """S133: 128 bits, another one for each pause, also where all inputs are equal but the execution."""
        async with self.world() as w:
            ids = {(await w.asked(f"r{number}")).pause_id for number in range(50)}
            assert len(ids) == 50 and all(len(bytes.fromhex(found)) == 16 for found in ids)
            bits = [f"{int(found, 16):0128b}" for found in ids]
            assert all(len({number[place] for number in bits}) == 2 for place in range(128))

    async def test_a_repeated_send_has_the_same_id(self) -> None:
        """S135, S144: a step that enters again before its send returned sends again, under the same id."""
        async with self.world() as w:
            ref = await w.start()
            (key,) = await w.turn(ref, {"amount": 10})
            first, second = await w.opened(ref, key), await w.opened(ref, key)
            assert (first.pause_id, first.attempt, second.attempt) == (second.pause_id, 1, 2)
            await w.sent(ref, key, attempt=2)
            assert await w.open(ref, key) == OpenFound(status=PauseStatus.PENDING, failed_send=False)

    async def test_entering_again_changes_nothing(self) -> None:
        """S036, S144: after the send, opening finds the record as it stands by now and counts no change."""
        async with self.world() as w:
            asked = await w.asked()
            seq = await w.seq(asked.ref)
            assert await w.open(asked.ref, asked.key) == OpenFound(status=PauseStatus.PENDING, failed_send=False)
            assert await w.seq(asked.ref) == seq
            await w.resolve(asked)
            assert await w.open(asked.ref, asked.key) == OpenFound(status=PauseStatus.RESOLVED, failed_send=False)
            await w.taken(asked)
            assert await w.open(asked.ref, asked.key) == OpenFound(status=PauseStatus.TAKEN, failed_send=False)

    async def test_an_answer_given_before_the_send_returned_is_found(self) -> None:
        """S243: a step that enters again finds the answer and doesn't send."""
        async with self.world() as w:
            ref = await w.start()
            (key,) = await w.turn(ref, {"amount": 10})
            await w.opened(ref, key)
            await w.resolve(key)
            assert await w.open(ref, key) == OpenFound(status=PauseStatus.RESOLVED, failed_send=False)

    async def test_calls_of_one_turn_are_pauses_of_their_own(self) -> None:
        """A01, S006: two calls of one tool have two ids; an answer to one leaves the other waiting."""
        async with self.world() as w:
            ref = await w.start()
            cheap, dear = [await w.ask(ref, key) for key in await w.turn(ref, {"amount": 10}, {"amount": 9000})]
            assert cheap.pause_id != dear.pause_id
            await w.resolve(dear, approved=False)
            assert (await w.record(cheap)).status is PauseStatus.PENDING
            assert (await w.taken(dear)).call.arguments == {"amount": 9000}
            first, second = await w.index.entries(ACME, ref.root), (await w.record(cheap)).call_id
            assert [entry.step.call_id for entry in first] == ["call_1"] and second == "call_0"

    async def test_executions_never_share_a_record(self) -> None:
        """S145: equal input in another execution is another pause."""
        async with self.world() as w:
            one, other = await w.asked("r1"), await w.asked("r2")
            assert one.key != other.key and one.pause_id != other.pause_id
            await w.resolve(one)
            assert (await w.record(other)).status is PauseStatus.PENDING

    async def test_nothing_is_asked_under_a_fence(self) -> None:
        """S160, E01: after a cancel, and after the end, nothing new is asked; no record appears."""
        async with self.world() as w:
            ref = await w.start("r1")
            (key,) = await w.turn(ref, {"amount": 10})
            await w.fence(ref, cancel=True)
            assert await w.open(ref, key) == OpenRefused()
            await w.end(ref, "cancelled")
            assert await w.open(ref, key) == OpenRefused()
            assert await w.index.entries(ACME, ref.root) == ()

    async def test_a_question_closed_in_its_send_is_not_sent_again(self) -> None:
        """R23: the worker died in the send and the pause was closed: the retry finds it closed, or is refused."""
        async with self.world() as w:
            ref = await w.start()
            one, other = await w.turn(ref, {"amount": 1}, {"amount": 2})
            await w.opened(ref, one)
            await w.sent(ref, one, "failed")
            assert await w.open(ref, one) == OpenFound(status=PauseStatus.CANCELLED, failed_send=True)
            await w.opened(ref, other)
            await w.fence(ref, "support-agent.0")
            assert await w.open(ref, other) == OpenRefused()

    async def test_other_arguments_at_the_same_place_replace_the_question(self) -> None:
        """T3: a waiting question of the same position with other arguments is withdrawn and to be taken back."""
        async with self.world() as w:
            ref = await w.start()
            turn = w.planned(ref, {"amount": 1}, {"amount": 2})
            one, two = turn.calls[0], replace(turn.calls[1], position=0)
            await w.index.record_turn(replace(turn, calls=(one, two)))
            old = await w.ask(ref, one.step_key)
            new = await w.ask(ref, two.step_key)
            record = await w.record(old)
            assert (record.status, record.resolution) == (PauseStatus.CANCELLED, PauseResolution.WITHDRAWN)
            assert (await w.record(new)).status is PauseStatus.PENDING
            assert [owed.step_key for owed in await w.index.owed_withdraws(limit=10)] == [old.key]

    async def test_a_made_up_id_is_not_a_pause(self) -> None:
        """S043: nothing but the id that was made finds the record."""
        async with self.world() as w:
            asked = await w.asked()
            for wrong in (asked.pause_id.upper() + " ", asked.key, "", "é" * 1_000_000, "\ud800", "\x00", "'; --"):
                assert await w.index.find(ACME, PauseId(wrong)) is None
            assert (await w.record(asked)).status is PauseStatus.PENDING
