"""``agboss secrets``: who may call over HTTP, and for whom."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from agboss.cli.inputs import UsageError
from agboss.cli.options import JsonOption
from agboss.cli.output import Output, facts, plain, row, table
from agboss.cli.running import run_async
from agboss.clocks import SystemClock
from agboss.errors import ConfigurationError, UnknownCallerError
from agboss.ports.callers import ANY, Caller, Callers
from agboss.requests import named
from agboss.settings import Settings
from agboss.stores import open_callers

secrets = typer.Typer(help="Who may call over HTTP, and for whom.", no_args_is_help=True, rich_markup_mode="rich")
Name = Annotated[str, typer.Argument(metavar="NAME", help="The caller's name; it is in the access log.", show_default=False)]
Result = TypeVar("Result")


@secrets.command()
def add(
    ctx: typer.Context,
    name: Name,
    tenants: Annotated[
        list[str], typer.Option("--tenant", metavar="ID", help="It acts for this tenant; * for all.", show_default=False)
    ],
    answers_as: Annotated[
        list[str] | None,
        typer.Option(
            "--answers-as", metavar="NAME", help="It may answer as this person; slack: is everybody whose name begins so."
        ),
    ] = None,
    owner: Annotated[
        list[str] | None, typer.Option("--owner", metavar="ID", help="It may act as this owner.", show_default=False)
    ] = None,
    owners: Annotated[bool, typer.Option("--owners", help="It may act as any owner.")] = False,
    starts: Annotated[bool, typer.Option("--starts", help="It may start and cancel executions.")] = False,
    json: JsonOption = False,
) -> None:
    """Let a caller in. Its secret is shown now and never again: only its hash is kept."""
    from agboss.web.secrets import new_secret, secret_hash

    output: Output = ctx.obj
    if ANY in (answers_as or ()):
        raise UsageError("--answers-as: * is nobody's name; name each person, or a prefix that ends in a colon, like slack:")
    caller = Caller(
        name=named("NAME", name),
        tenants=_named("--tenant", tenants),
        answers_as=_named("--answers-as", answers_as),
        owners=(ANY,) if owners else _named("--owner", owner),
        starts=starts,
    )
    secret = new_secret()
    _with_callers(lambda callers: callers.add(caller, secret_hash(secret)), output)
    once = plain("It isn't shown again; keep it where no log and no shell's history has it.")
    output.result({"name": caller.name, "secret": secret}, [facts(caller=caller.name, secret=secret), once])


@secrets.command("list")
def listed(ctx: typer.Context, json: JsonOption = False) -> None:
    """Who is let in, without secrets: nobody has those but the callers."""
    output: Output = ctx.obj
    found = _with_callers(lambda callers: callers.list(), output)
    document = {
        "callers": [
            {
                "name": caller.name,
                "tenants": list(caller.tenants),
                "answers_as": list(caller.answers_as),
                "owners": list(caller.owners),
                "starts": caller.starts,
            }
            for caller in found
        ]
    }
    if not found:
        output.result(document, [plain("Nobody is let in; `agboss secrets add` makes a caller.")])
        return
    made = table("caller", "tenants", "answers as", "owners", "starts")
    for caller in found:
        several = (", ".join(names) or "–" for names in (caller.tenants, caller.answers_as, caller.owners))
        row(made, caller.name, *several, "yes" if caller.starts else "no")
    output.result(document, [made])


@secrets.command()
def revoke(ctx: typer.Context, name: Name, json: JsonOption = False) -> None:
    """Never let a caller in again; servers that run know at once."""
    output: Output = ctx.obj
    if not _with_callers(lambda callers: callers.revoke(name), output):
        raise UnknownCallerError(f"there is no caller {name!r}; see `agboss secrets list`")
    output.result({"name": name, "revoked": True}, [plain(f"{name} is let in no more", "green")])


def _named(what: str, given: list[str] | None) -> tuple[str, ...]:
    return tuple(named(what, one) for one in given or ())


def _with_callers(work: Callable[[Callers], Awaitable[Result]], output: Output) -> Result:
    settings = Settings.from_environment()
    if settings.index == "memory:":
        raise ConfigurationError(
            "AGBOSS_INDEX is memory:, an index that is gone with its process; set sqlite:///path.db to keep callers"
        )

    async def opened() -> Result:
        callers = open_callers(settings.index, clock=SystemClock())
        try:
            return await work(callers)
        finally:
            await callers.close()

    return run_async(opened(), output)
