"""What people and programs hand to a command: JSON in an argument, a file or stdin, and answers at a prompt."""

import json
import sys
from pathlib import Path
from typing import Any

from agboss.errors import AgbossError, DtoValidationError


class UsageError(AgbossError):
    """The command was called in a way it doesn't have."""

    code = "usage"


def json_object(given: str, *, what: str, stdin: bool = False) -> dict[str, Any]:
    """``given`` as a JSON object: itself, ``@file``'s content, or with ``stdin`` and ``-`` what stdin has.

    Raises:
        DtoValidationError: it is none; the message never has the content.
    """
    text = sys.stdin.read() if stdin and given == "-" else file_text(given[1:], what) if given.startswith("@") else given
    try:
        value = json.loads(text)
    except ValueError as error:
        at = f" (line {error.lineno}, column {error.colno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        raise _wrong(what, f'this is no JSON{at}; give an object like \'{{"text": "Hello"}}\', or @file') from None
    if not isinstance(value, dict):
        raise _wrong(what, f"a JSON object is needed, got {_KINDS.get(type(value), 'null')}")
    return value


_KINDS: dict[type[Any], str] = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "true or false"}


def file_text(name: str, what: str) -> str:
    """A file's content.

    Raises:
        DtoValidationError: it can't be read.
    """
    try:
        return Path(name).read_text("utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise _wrong(what, f"file {name!r} can't be read: {reason}") from None


def _wrong(what: str, text: str) -> DtoValidationError:
    return DtoValidationError(f"{what}: {text}", problems=[f"{what}: {text}"])


def is_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


def asked(question: str) -> str:
    """One line that a person types. Asked on stderr: stdout is for outcomes.

    Raises:
        UsageError: the terminal was closed.
    """
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise UsageError("no answer was given; nothing was done")
    return line.strip()


def asked_yes_or_no(question: str) -> bool:
    """Ask until the answer is one."""
    while True:
        answer = asked(f"{question} [y/n] ").lower()
        if answer in ("y", "yes", "n", "no"):
            return answer in ("y", "yes")
