"""The ``agboss`` command: its groups of commands, put together."""

import os
import sys
from collections.abc import Sequence

import typer

from agboss.cli import callers, check, flows, pauses, serving, upkeep, web
from agboss.cli.exits import MEANINGS
from agboss.cli.group import Commands

app = typer.Typer(
    cls=Commands,
    help="Durable pauses for AI agents, on Temporal.",
    epilog="\b\nExit codes:\n" + "\n".join(f"{code.value:>5}  {meaning}" for code, meaning in MEANINGS.items()),
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command(rich_help_panel="Develop")(serving.dev)
app.command(rich_help_panel="Develop")(check.check)
app.command(rich_help_panel="Executions")(flows.run)
app.command(rich_help_panel="Executions")(pauses.pending)
app.command(rich_help_panel="Executions")(pauses.answer)
app.command(rich_help_panel="Executions")(flows.cancel)
app.command(rich_help_panel="Operate")(upkeep.migrate)
app.command(rich_help_panel="Operate")(serving.worker)
app.command(rich_help_panel="Operate")(web.web)
app.add_typer(callers.secrets, name="secrets", rich_help_panel="Operate")
app.command(rich_help_panel="Operate")(upkeep.sweep)


def run(arguments: Sequence[str]) -> int:
    """Run one command in this process; its exit code."""
    command = typer.main.get_command(app)
    # Native code and child processes write to descriptor 1 itself: from here on that is stderr, and stdout is ours alone.
    own = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = own
    code: int = command.main(list(arguments), standalone_mode=False)
    return code
