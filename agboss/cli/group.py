"""How every command ends: its errors as text or JSON, and its exit code."""

import sys
import traceback
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from typing import Any

import typer
from typer.core import TyperGroup

from agboss.cli.exits import Exit, exit_of
from agboss.cli.output import Output
from agboss.cli.running import InterruptedCommandError
from agboss.errors import AgbossError, AssemblyError


class Commands(TyperGroup):
    """All commands. ``ctx.obj`` is their ``Output``."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run one command."""
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        as_json = "--json" in given and "--help" not in given
        output = Output(as_json=as_json, documents=sys.stdout)
        # What user code prints must not get between a program and its document.
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            code = _ended(
                lambda: super(Commands, self).main(given, prog_name or "agboss", complete_var, False, obj=output, **extra),
                output,
            )
        if standalone_mode:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        # The base class ends silently on Ctrl-C.
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InterruptedCommandError("interrupted") from None


def _ended(command: Any, output: Output) -> int:
    """The exit code of a command, which may raise it, return it, or fail."""
    try:
        return int(command() or Exit.DONE)
    except typer.TyperException as error:
        where = getattr(getattr(error, "ctx", None), "command_path", "agboss")
        output.error("usage", f"{error.format_message().rstrip('.')}; see `{where} --help`", {})
        return Exit.USAGE
    except typer.Abort:
        output.error("interrupted", "interrupted", {})
        return Exit.INTERRUPTED
    except AgbossError as error:
        code = exit_of(error.code)
        output.error(error.code, str(error), _data(error), _causes(error) if code is Exit.FAILED else ())
        return code
    except Exception as error:
        traceback.print_exc(file=sys.stderr)
        output.error("internal", f"{type(error).__name__}: see the traceback on stderr", {})
        return Exit.FAILED


def _data(error: AgbossError) -> dict[str, Any]:
    if isinstance(error, AssemblyError):
        return {"problems": [{"code": p.code, "where": p.where, "text": p.text} for p in error.problems]}
    return dict(error.data)


def _causes(error: BaseException) -> list[str]:
    """Of a flow's failure: what its step failed with, from the outside in, where the message doesn't say it already."""
    causes: list[str] = []
    cause = error.__cause__
    while cause is not None:
        if str(cause) not in str(error):
            causes.append(f"{type(cause).__name__}: {cause}")
        cause = cause.__cause__
    return causes
