"""What a command shows: tables for people, or exactly one JSON document on stdout. Progress and logs go to stderr."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

from rich import box
from rich.console import Console, RenderableType
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from agboss.channels.visible_text import visible

_WIDE = 1_000
"""Columns where there is no terminal: nothing is cut or wrapped for a pipe."""
_LONGEST_LINE = 4_000


class Output:
    """One command's way to its caller.

    Args:
        as_json: one document on stdout instead of texts.
        documents: where that document goes, whatever user code prints to stdout meanwhile.
    """

    def __init__(self, *, as_json: bool, documents: TextIO) -> None:
        self.as_json = as_json
        self._documents = documents
        self._told = False
        self._out = _console(stderr=False)
        self._err = _console(stderr=True)

    def result(self, document: Mapping[str, Any], shown: Iterable[RenderableType]) -> None:
        """The command's outcome: ``document`` for programs, ``shown`` for people."""
        if self.as_json:
            self._write(document)
            return
        for number, part in enumerate(shown):
            if number:
                self._out.print()
            self._out.print(part)

    def error(self, code: str, message: str, data: Mapping[str, Any], causes: Iterable[str] = ()) -> None:
        """Why the command didn't do what was asked. After a result, people alone are told: there is one document."""
        if self.as_json and not self._told:
            self._write({"error": {"code": code, "message": message, "data": dict(data)}})
            return
        first, *more = message.splitlines() or [code]
        self._err.print(Text.assemble(("error: ", "bold red"), plain(first), (f"  ({code})", "dim")))
        for line in more:
            self._err.print(plain(line))
        for cause in causes:
            self._err.print(Text.assemble(("  because: ", "dim"), plain(" ".join(cause.split()))))

    def note(self, text: str) -> None:
        """A line beside the outcome, for people."""
        self._err.print(plain(text))

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Show that something is waited for: a spinner on a terminal, one line elsewhere."""
        if not self._err.is_terminal:
            self.note(f"{text} …")
            yield
            return
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
        with Progress(*columns, console=self._err, transient=True) as progress:
            progress.add_task(visible(text, longest=_LONGEST_LINE))
            yield

    @contextmanager
    def logging(self) -> Iterator[None]:
        """Show warnings that are logged meanwhile, on stderr."""
        root, handler = logging.getLogger(), _LogLines(self._err)
        root.addHandler(handler)
        try:
            yield
        finally:
            root.removeHandler(handler)

    def _write(self, document: Mapping[str, Any]) -> None:
        # In ASCII: a direction character in a value would turn the line around on a terminal.
        self._documents.write(json.dumps(document, default=str) + "\n")
        self._documents.flush()
        self._told = True


class _LogLines(logging.Handler):
    """Log records as lines that can't move the cursor, and that don't break a spinner."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console
        self.setFormatter(logging.Formatter("%(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        try:
            first, *more = self.format(record).splitlines() or [""]
        except Exception:
            self.handleError(record)
            return
        style = "yellow" if record.levelno < logging.ERROR else "red"
        self._console.print(Text.assemble((f"{record.levelname.lower()}: ", style), plain(first)))
        for line in more:
            self._console.print(plain(line))


def plain(text: object, style: str = "") -> Text:
    """Any text, never read as markup, with everything hidden in it made visible."""
    return Text(visible(str(text), longest=_LONGEST_LINE), style=style)


def table(*columns: str, title: str | None = None) -> Table:
    """A table for people."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, title=title, title_justify="left", title_style="bold", pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    return made


def row(to: Table, *cells: object) -> None:
    """Add a row; cells that are no renderables are shown as plain texts."""
    to.add_row(*(cell if isinstance(cell, Text) else plain(cell) for cell in cells))


def facts(**values: object) -> Table:
    """Names and values, one a line."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim")
    made.add_column(overflow="fold")
    for name, value in values.items():
        row(made, name.replace("_", " "), value)
    return made


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console
