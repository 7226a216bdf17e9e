"""Records a history of each kind of behaviour: `python -m tests.replay.record`. Only for kinds that have none yet."""

import asyncio
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from temporalio.client import Client

from agboss.decisions.keys import reading_id
from agboss.temporal.wire import RunLimits
from agboss.testing.servers import temporal_dev_server
from tests.ears import ChatPayment, Ears, MailPayment
from tests.replies.office import EXPENSE, running_desk
from tests.rig import (
    DeskFourEyes,
    DeskPublish,
    PaymentDeclinedError,
    ReceiptWorkflow,
    Rig,
    TwoAgentsWorkflow,
    call,
    running_rig,
)

FOLDER = Path(__file__).parent / "histories"


def without_places(text: str) -> str:
    """A history without stack traces and worker names, which tell of the machine that recorded it."""
    text = re.sub(r'"stackTrace": "(?:[^"\\]|\\.)*"', '"stackTrace": ""', text)
    return re.sub(r'"identity": "[^"]*"', '"identity": "recorder"', text)


async def approved(rig: Rig) -> Any:
    await rig.execute([call("pay-tool", amount=1)], "done")
    return await rig.answer(rig.ids[-1])


async def mixed(rig: Rig) -> Any:
    await rig.execute([call("pay-tool", amount=1), call("free-tool"), call("pay-tool", amount=2)], "done")
    await rig.answer(rig.ids[-1], {"approved": False})
    return await rig.answer(rig.ids[-2])


async def cancelled(rig: Rig) -> Any:
    result = await rig.execute([call("pay-tool", amount=1)], "done", thread_id="cancel-me")
    await rig.app.cancel("cancel-me", tenant_id="acme", owner_id="customer-1")
    await rig.until_ended(result)
    return result


async def failed(rig: Rig) -> Any:
    async def raising(ask: Any) -> Any:
        raise PaymentDeclinedError("closed")

    rig.told.on_send = raising
    result = await rig.execute([call("pay-tool", amount=1)], "done", wait=False)
    await rig.until_ended(result)
    return result


async def decided_at_once(rig: Rig) -> Any:
    return await rig.execute([call("approved-tool"), call("rejected-tool")], "done")


async def structured_answer(rig: Rig) -> Any:
    final = call("final-answer", total=3, note="three")
    return await rig.execute("no answer", [final], workflow=ReceiptWorkflow)


async def two_agents(rig: Rig) -> Any:
    await rig.execute([call("pay-tool", amount=1)], "done", workflow=TwoAgentsWorkflow)
    return await rig.answer(rig.ids[-1])


async def continued(rig: Rig) -> Any:
    rig.app._starter.run_limits = RunLimits(events=24)
    await rig.execute([call("pay-tool", amount=1), call("pay-tool", amount=2)], [call("free-tool")], "done")
    await rig.answer(rig.ids[-1])
    return await rig.answer(rig.ids[-2])


async def reading(server: Any, client: Client) -> None:
    """A reading's own workflow, which is no holder."""
    file = FOLDER / "reading.json"
    if file.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        async with running_desk(server, Path(folder)) as desk:
            await desk.asked(EXPENSE)
            pause: Any = await desk.app._index.find("acme", desk.told.asks[0].pause_id)  # type: ignore[arg-type]
            await desk.reply("yes", request_id="message-1")
            id = f"{pause.workflow_id}/reading-{reading_id(pause.pause_key, 'message-1')}"
            history = await client.get_workflow_handle(id).fetch_history()
            file.write_text(without_places(history.to_json()))
            print(file.stem, len(history.events), "events")


async def answered(rig: Rig) -> Any:
    """Two channels of one role that hear of answers."""
    ears = next(service for service in rig.declaration.services if isinstance(service, Ears))
    result = await rig.execute([call("pay-tool", amount=1), call("pay-tool", amount=2)], "done")
    for pause_id in sorted({ask.pause_id for _, ask in ears.asks}):
        result = await rig.answer(pause_id)
    return result


async def main() -> None:
    async with temporal_dev_server() as server:
        client = await Client.connect(server.address)
        await reading(server, client)
        for kind in (
            approved,
            mixed,
            cancelled,
            failed,
            decided_at_once,
            structured_answer,
            two_agents,
            continued,
            answered,
        ):
            file = FOLDER / f"{kind.__name__}.json"
            if file.exists():
                continue
            with tempfile.TemporaryDirectory() as folder:
                own: dict[str, Any] = {}
                if kind is answered:
                    own = {"channels": [ChatPayment, MailPayment, DeskPublish, DeskFourEyes], "services": [Ears()]}
                async with running_rig(server, Path(folder), **own) as rig:
                    result = await kind(rig)
                    progress: Any = await rig.app._index.progress("acme", result.execution_id)  # type: ignore[arg-type]
                    handle = client.get_workflow_handle(progress.frame.workflow_id)
                    while (await handle.describe()).close_time is None:
                        await asyncio.sleep(0.05)
                    history = await handle.fetch_history()
                    if kind is continued:
                        # The run that continues as new, and then the one that begins so.
                        started = history.events[0].workflow_execution_started_event_attributes
                        file.with_stem("continued_from").write_text(without_places(history.to_json()))
                        first = client.get_workflow_handle(handle.id, run_id=started.first_execution_run_id)
                        history = await first.fetch_history()
                    file.write_text(without_places(history.to_json()))
                    print(file.stem, len(history.events), "events")


if __name__ == "__main__":
    asyncio.run(main())
    os._exit(0)
