"""Options that several commands have, with one text each."""

from typing import Annotated

import typer

ApplicationOption = Annotated[
    str | None,
    typer.Option(
        "--application",
        metavar="MODULE:NAME",
        envvar="AGBOSS_APPLICATION",
        help="The application; without it, \\[tool.agboss] of the nearest pyproject.toml names it.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Exactly one JSON document on stdout, errors too.")]
"""Only declared by the commands: an error may come before options are read, so ``Commands.main`` looks for it itself."""
TenantOption = Annotated[
    str | None,
    typer.Option("--tenant", metavar="ID", help="The tenant; without it, the application's default.", show_default=False),
]
WaitOption = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until the flow pauses or ends.")]
TimeoutOption = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0, help="Of the wait; the flow goes on.", show_default=False),
]
RecordOption = Annotated[bool, typer.Option("--record", help="Show who decided what, too.")]
