"""No statement of the SQLite store looks at rows it isn't asked for, however many there are."""

import re
import sqlite3
from pathlib import Path

from agboss.domain.ids import HolderId, OwnerId, ReadingId
from agboss.domain.pauses import PauseAnswerer
from agboss.ports.pause_index import BeginReading, Responder, SettleReading, Wake
from agboss.stores.migrate import migrate
from agboss.stores.schema import metadata
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.testing.index_suite.world import ACME, SettableClock, World

OF_ONE_TREE = re.compile(r"\((root|execution|position_key)=\?")
"""A search by these finds what one tree or step has, and may sort it; anything wider must come in order from its index."""


async def test_every_statement_has_its_index(tmp_path: Path) -> None:
    """Performance at a million rows: each read is a search by an index, and lists over all trees come sorted from one."""
    path = migrate(f"sqlite:///{tmp_path / 'index.db'}")
    clock = SettableClock()
    index = SqlitePauseIndex(path, clock=clock, inline=True)
    seen: set[str] = set()
    world = World(index, clock)
    await world.start("warm-up")
    await index.check()
    for connection in (index._runner._connection, *index._readers):
        assert connection is not None
        connection.set_trace_callback(seen.add)
    await _use_everything(world)
    for connection in (index._runner._connection, *index._readers):
        assert connection is not None
        connection.set_trace_callback(None)
    await index.close()
    reads = sorted(statement for statement in seen if statement.startswith(("SELECT", "UPDATE", "DELETE")))
    assert len(reads) > 30
    # Reading a partial index from its start is reading only what is asked for.
    indexes = [index for table in metadata().tables.values() for index in table.indexes]
    partial = {index.name for index in indexes if index.dialect_kwargs.get("sqlite_where") is not None}
    with sqlite3.connect(path) as connection:
        for statement in reads:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]
            scans = [step for step in plan if step.startswith("SCAN")]
            assert all(step.rpartition(" ")[2] in partial for step in scans), (statement, plan)
            if not OF_ONE_TREE.search(plan[0]):
                assert not [step for step in plan if "TEMP B-TREE" in step], (statement, plan)


async def _use_everything(world: World) -> None:
    index, clock = world.index, world.clock
    ref = await world.start("r1", owner="customer-1")
    keys = await world.turn(ref, *({"amount": number} for number in range(4)))
    asked = [await world.ask(ref, key) for key in keys]
    child = world.child(ref, "child")
    await world.rest(ref, 1, confirmed=(child,), wanting=1, limit=1)
    await index.wake(Wake(ref=ref, gone=(child,)))
    await world.resolve(asked[0])
    await world.resolve(asked[1])
    await world.taken(asked[0])
    await index.settle(asked[0].key, result="done")
    clock.advance(60)
    await index.due_nudges(limit=10)
    await world.rest(ref, 9)
    await world.fence(ref, "somewhere.else")
    await world.progress(ref, asked[0].key)
    await world.record(asked[0])
    await index.pending(ACME)
    await index.pending(ACME, owner=OwnerId("customer-1"))
    await index.live_holders(older_than_seconds=1, limit=10, after=HolderId("a"))
    await index.conversation(ref, asked[0].ref.root, "support-agent", 0, path=world.planned(ref).path, input_from=None)
    await world.end(ref, "failed")
    await index.entries(ACME, ref.root)
    for owed in await index.owed_withdraws(limit=10):
        claim = await index.claim_withdraw(asked[2].key, lease_seconds=1)
        if claim is not None:
            await index.withdraw_told(asked[2].key, claim.claim)
        assert owed.tool == "refund-tool"
    clock.advance(60)
    await index.owed_withdraws(limit=10)
    for event in await index.undelivered(limit=10):
        await index.delivered(event.root, event.number)
    await index.delete_resolved_before(clock.now(), limit=10)
    reading = ReadingId("reading-1")
    responder = Responder(answerer=PauseAnswerer.CHANNEL, name="manager-17")
    await index.begin_reading(
        BeginReading(
            reading=reading, tenant=ACME, step_key=asked[3].key, interpreter="reader", reply="ok", responder=responder
        )
    )
    await index.reading(reading)
    await index.settle_reading(SettleReading(reading=reading, reason="unclear"))
    clock.advance(1)
    assert await index.delete_readings_before(clock.now(), limit=10) == 1
    await index.lease("sweep", "me", seconds=1)
