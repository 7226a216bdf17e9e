"""A facade in a process of its own, as a web server has one: `python -m tests.facade_process NAME FOLDER`.

Each line of its input is a request as JSON, each line of its output what came of it.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from agboss import App, Settings
from agboss.errors import AgbossError
from tests.worker_process import declared


async def handled(app: App, request: dict[str, Any]) -> dict[str, Any]:
    """One request's answer, or its error's code."""
    try:
        if "cancel" in request:
            cancelled = await app.cancel(request["cancel"], tenant_id="acme", owner_id="customer-1")
            return {"cancelled": cancelled.cancelled}
        decision = {"approved": request["approved"]}
        await app.resume(request["pause"], decision=decision, answered_by=request["by"], tenant_id="acme", wait=False)
        if request.get("die"):
            raise AssertionError("it should have died between the record and the signal")
        return {"won": request["by"]}
    except AgbossError as error:
        return {"code": error.code}


class DiesBeforeSignals:
    """A gateway that ends its process where an answer has been recorded and is about to be signalled."""

    async def look(self, *_: object) -> bool:
        import os

        print(json.dumps({"died": True}), flush=True)
        os._exit(9)


async def main(name: str, folder: Path, *, dies: bool) -> None:
    gateway: Any = DiesBeforeSignals() if dies else None
    async with declared(name, folder).connect(Settings.from_environment(), gateway=gateway) as app:
        print(json.dumps({"ready": True}), flush=True)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            print(json.dumps(await handled(app, json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), dies="dies" in sys.argv[3:]))
