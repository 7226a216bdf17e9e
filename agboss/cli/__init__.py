"""The command line. ``agboss --help`` tells what there is; docs/operating.md has the exit codes."""

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command of ``sys.argv`` and end the process with its exit code."""
    try:
        from agboss.cli.app import run

        code = run(sys.argv[1:])
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.stderr.write("agboss: the command line needs typer and rich: pip install 'agboss-temporal[cli]'\n")
        code = 2
    except SystemExit as error:
        # Rich's answer to a reader that has gone.
        code = error.code if isinstance(error.code, int) else 1
    except KeyboardInterrupt:
        # While modules were loading; commands tell of it themselves.
        code = 130
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # The reader has gone (`agboss pending | head`); what it wanted, it has.
            continue
    # The SDK's native threads can crash the process at interpreter shutdown, after all work is done.
    os._exit(code)
