"""`make demo`: a refund that pauses, is answered in this terminal, and ends."""

import asyncio
import os
import sys
from pathlib import Path

from activities.refunds import Ledger
from agboss import Settings, StartText
from agboss.devserver.config import read_config
from agboss.devserver.process import dev_server, free_port
from agboss.stores.migrate import migrate
from application import office
from channels.refunds import Desk
from workflows.refunds import RefundWorkflow


def say(text: str) -> None:
    print(text, flush=True)


async def main() -> None:
    config = read_config(Path("temporal-dev.yaml"))
    # Ports of its own, so that the demo runs beside whatever else does.
    config = config.model_copy(update={"port": free_port(), "ui_port": free_port()})
    settings = Settings(temporal_address=config.address, temporal_namespace=config.namespace)
    say(f"1. The pause index: {migrate(settings.index)}")
    say("2. Starting Temporal's development server …")
    async with dev_server(config, log=Path(".data/temporal.log")):
        say(f"   Temporal's pages: {config.ui}")
        async with office.worker(settings) as app:
            say("3. A customer asks for a refund; the agent wants to call refund-tool, so a manager is asked …")
            known = set(os.listdir(Desk().folder))
            paused = await app.execute(RefundWorkflow, StartText(text="Order A-17 came broken"), tenant_id="acme")
            say(f"   The execution is {paused.status.value}: {paused.pending[0].ask.summary}")
            (pause_id,) = set(os.listdir(Desk().folder)) - known
            approved = await asyncio.to_thread(asked, (Desk().folder / pause_id).read_text())
            result = await app.resume(
                pause_id, decision={"approved": approved}, tenant_id="acme", answered_by="manager-17", record=True
            )
            assert result.output is not None
            assert result.record is not None
            say(f"4. The execution is {result.status.value}. The agent says: {result.output.text}")
            for entry in result.record.pauses:
                say(f"   Recorded: {entry.responder} decided {entry.decision}")
            rows = Ledger().rows()
            say(f"   The company's ledger has {len(rows)} refund(s): {[row[1:] for row in rows]}")
    say("5. Worker and server have ended.")


def asked(question: str) -> bool:
    """A person's decision; approved where there is no terminal to ask in."""
    if not sys.stdin.isatty():
        say(f"   {question} [y/n] y   (no terminal here: approved by script)")
        return True
    return input(f"   {question} [y/n] ").strip().lower() in ("y", "yes")


if __name__ == "__main__":
    asyncio.run(main())
    sys.stdout.flush()
    # The SDK's native threads can crash the process at interpreter shutdown, after all work is done.
    os._exit(0)
