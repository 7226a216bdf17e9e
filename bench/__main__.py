"""`python -m bench [--quick] [--out FILE]`: measure everything, print the table, write the file."""

import argparse
import asyncio
import compileall
import os
import sys
import tempfile
import time
from pathlib import Path

from bench.answers import measure_answers
from bench.gates import measure_gates
from bench.machine import machine_facts
from bench.measures import Measure, say
from bench.parked import measure_parked
from bench.report import show, write
from bench.sandbox import measure_sandbox
from bench.sizes import FULL, QUICK, Sizes
from bench.stage import both_sides, stage

ROOT = Path(__file__).parents[1]


async def main(sizes: Sizes, out: Path) -> None:
    """One whole run."""
    began = time.monotonic()
    # In the project and not in the system's folder for temporary files, which may be memory: there fsync costs nothing.
    (ROOT / ".data").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=ROOT / ".data", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        facts = machine_facts(folder)
        _compile()
        measures: list[Measure] = []
        say("1. Starting a Temporal development server (file-backed, WAL) and making an index (SQLite, fsync) …")
        async with stage(ROOT, folder) as on:
            say("2. Gates, agboss and by hand, each with a worker in this process …")
            async with both_sides(on) as (ours, by_hand):
                measures += await measure_gates(ours, by_hand, on, sizes)
            say("3. Answers, without Temporal …")
            measures += await measure_answers(on, sizes)
            say("4. Waiting …")
            measures += await measure_parked(on, sizes)
        say("5. The sandbox …")
        measures += await measure_sandbox(sizes)
    show(measures, facts)
    write(out, measures, facts)
    say(f"Done in {time.monotonic() - began:.0f} s.")


def _compile() -> None:
    """Make the bytecode that an installed package has, for both sides: the sandbox loads guarded modules anew for each
    instance, and in a checkout under ``PYTHONDONTWRITEBYTECODE`` it would compile them each time, at twice the cost."""
    for package in ("agboss", "bench"):
        compileall.compile_dir(ROOT / package, quiet=2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench", description="agboss against a gate written by hand")
    parser.add_argument("--quick", action="store_true", help="a smoke run; its numbers mean little")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "out.json", help="where the values are written")
    arguments = parser.parse_args()
    asyncio.run(main(QUICK if arguments.quick else FULL, arguments.out))
    sys.stdout.flush()
    # The SDK's native threads can crash the process at interpreter shutdown, after all work is done.
    os._exit(0)
