"""`make demo`: a refund that pauses, is answered in this terminal, and ends. `make demo FLOW=approvals`: two approvals at
once. `make demo FLOW=office`: two replies in free text."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from activities.ledger import Ledger
from agboss import App, ExecutionResult, ExecutionStatus, Settings, StartText
from agboss.devserver.config import read_config
from agboss.devserver.process import dev_server, free_port
from agboss.errors import UninterpretableReplyError
from agboss.models.openai import host_of
from agboss.stores.migrate import migrate
from application import office
from channels.refunds import Desk
from workflows.approvals import ApprovalsWorkflow
from workflows.models import has_endpoint
from workflows.office import OfficeWorkflow
from workflows.refunds import RefundWorkflow

REQUEST = "Order A-17 came broken. Please refund the 50.00 to my card 4111 1111 1111 1111."


def say(text: str) -> None:
    print(text, flush=True)


async def refunds(app: App) -> ExecutionResult[object]:
    say("3. A customer asks for a refund; the agent wants to call refund-tool, so a manager is asked …")
    known = set(os.listdir(Desk().folder))
    result: ExecutionResult[object] = await app.execute(
        RefundWorkflow, StartText(text=REQUEST), tenant_id="acme", record=True
    )
    while result.status is ExecutionStatus.PAUSED:
        # One at a time: a real model may ask for more than one refund.
        pause_id = min(set(os.listdir(Desk().folder)) - known)
        known.add(pause_id)
        say(f"   The execution is {result.status.value}: {result.pending[0].ask.summary}")
        approved = await asked((Desk().folder / pause_id).read_text())
        result = await app.resume(
            pause_id, decision={"approved": approved}, tenant_id="acme", answered_by="manager-17", record=True
        )
    return result


async def approvals(app: App) -> ExecutionResult[object]:
    say("3. An editor asks for two things; the agent wants to call two tools, so both are asked at once …")
    result: ExecutionResult[object] = await app.execute(
        ApprovalsWorkflow,
        StartText(text="Replace the document Prices 2026 by Prices 2027"),
        tenant_id="acme",
        owner_id="editor-1",
        record=True,
    )
    while result.status is ExecutionStatus.PAUSED:
        say(f"   The execution is {result.status.value}, {len(result.pending)} waiting for an answer")
        pause = result.pending[0]
        approved = await asked(pause.ask.summary)
        assert pause.pause_id is not None
        result = await app.resume(
            pause.pause_id, decision={"approved": approved}, tenant_id="acme", owner_id="editor-1", record=True
        )
    return result


async def replies(app: App) -> ExecutionResult[object]:
    say("3. An agent wants to return a deposit and to book an expense; a clerk and the owner are asked at once …")
    known = set(os.listdir(Desk().folder))
    result: ExecutionResult[object] = await app.execute(
        OfficeWorkflow, StartText(text="Return the deposit of L-7 and book the pens"), tenant_id="acme", owner_id="owner-1"
    )
    say(f"   The execution is {result.status.value}, {len(result.pending)} waiting for an answer")
    (deposit,) = set(os.listdir(Desk().folder)) - known
    (expense,) = [pause.pause_id for pause in result.pending if pause.pause_id is not None]
    say("   The owner presses a button that says {approved: true}; code reads it")
    button = json.dumps({"approved": True})
    await app.resume(expense, reply=button, tenant_id="acme", owner_id="owner-1")
    while True:
        text = await typed((Desk().folder / deposit).read_text(), usually="yes, the flat is in order")
        say("   A decision model reads the clerk's reply")
        try:
            return await app.resume(deposit, reply=text, tenant_id="acme", answered_by="clerk-3", record=True)
        except UninterpretableReplyError as error:
            say(f"   The question stays: {error.reason}")


FLOWS: dict[str, Callable[[App], Awaitable[ExecutionResult[object]]]] = {
    "refunds": refunds,
    "approvals": approvals,
    "office": replies,
}


async def main(flow: str) -> None:
    config = read_config(Path("temporal-dev.yaml"))
    # Ports of its own, so that the demo runs beside whatever else does.
    config = config.model_copy(update={"port": free_port(), "ui_port": free_port()})
    settings = Settings(temporal_address=config.address, temporal_namespace=config.namespace)
    say(f"1. The pause index: {migrate(settings.index)}")
    say(f"   The model: {model()}")
    say("2. Starting Temporal's development server …")
    async with dev_server(config, log=Path(".data/temporal.log")):
        say(f"   Temporal's pages: {config.ui}")
        async with office.worker(settings) as app:
            booked = len(Ledger().rows())
            result = await FLOWS[flow](app)
            assert result.record is not None
            say(f"4. The execution is {result.status.value}. The agent says: {getattr(result.output, 'text', None)}")
            for entry in result.record.pauses:
                say(f"   Recorded: {entry.responder} decided {entry.decision}")
            say(f"   The company's ledger has {Ledger().rows()[booked:]}")
    say("5. Worker and server have ended.")


def model() -> str:
    """Where answers come from."""
    if not has_endpoint():
        return "a script (set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL for a real one)"
    return f"{os.environ.get('OPENAI_MODEL', 'office/…')} at {host_of(os.environ['OPENAI_BASE_URL'])}"


async def typed(question: str, *, usually: str) -> str:
    """A person's own words; the usual ones where there is no terminal to ask in."""
    if not sys.stdin.isatty():
        say(f"   {question} {usually}   (no terminal here: replied by script)")
        return usually
    return (await asyncio.to_thread(input, f"   {question} [{usually}] ")).strip() or usually


async def asked(question: str) -> bool:
    """A person's decision; approved where there is no terminal to ask in."""
    if not sys.stdin.isatty():
        say(f"   {question} [y/n] y   (no terminal here: approved by script)")
        return True
    answer = await asyncio.to_thread(input, f"   {question} [y/n] ")
    return answer.strip().lower() in ("y", "yes")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], *([name] for name in FLOWS)):
        sys.exit(f"usage: python demo.py [{'|'.join(FLOWS)}]")
    asyncio.run(main(sys.argv[1] if sys.argv[1:] else "refunds"))
    sys.stdout.flush()
    # The SDK's native threads can crash the process at interpreter shutdown, after all work is done.
    os._exit(0)
