"""The table, and ``bench/out.json``."""

import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.machine import Facts
from bench.measures import Measure


def show(measures: Sequence[Measure], facts: Facts) -> None:
    """Print the table."""
    table = Table(title="agboss against a gate written by hand")
    for column, justify in (
        ("key", "left"),
        ("value", "right"),
        ("spread", "left"),
        ("target", "left"),
        ("what it is", "left"),
    ):
        table.add_column(column, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for one in measures:
        table.add_row(one.key, f"{_number(one.value)} {one.unit}".strip(), _spread(one), _target(one), one.meaning)
    # Wide enough for a file or a pipe as well; a terminal folds what is too long.
    console = Console(width=None if Console().is_terminal else 150)
    console.print(table)
    console.print(", ".join(f"{key.removeprefix('machine.')} {_text(value)}" for key, value in facts.items()))


def write(path: Path, measures: Sequence[Measure], facts: Facts) -> None:
    """Write every value under its key, its spread beside it, and the machine's facts."""
    found: dict[str, str | float] = dict(facts)
    for one in measures:
        found[one.key] = one.value
        if one.low is not None and one.high is not None:
            found[f"{one.key}.low"], found[f"{one.key}.high"] = one.low, one.high
    path.write_text(json.dumps(found, indent=2, sort_keys=True) + "\n")


def _number(value: float) -> str:
    if value == int(value) or value >= 1000:
        return f"{value:.0f}"
    return f"{value:.2f}" if value < 20 else f"{value:.1f}"


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else _number(value)


def _spread(one: Measure) -> str:
    if one.low is None or one.high is None or one.low == one.high:
        return ""
    return f"{_number(one.low)} – {_number(one.high)} ({one.spread})"


def _target(one: Measure) -> str:
    limit = f"≤ {one.at_most}" if one.at_most is not None else f"≥ {one.at_least}"
    return "" if one.meets is None else f"{limit} {'met' if one.meets else 'MISSED'}"
