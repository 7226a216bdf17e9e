"""Running many seeds, on the twin and now and then on a SQLite file, and saying what was seen."""

import logging
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from agboss.assembly.assembled import Assembled
from agboss.stores.migrate import migrate
from agboss.stores.sqlite.index import SqlitePauseIndex
from tests.rig import Told
from tests.simulation.office import assembled
from tests.simulation.seed import run_seed
from tests.simulation.world import Counts, Weather, World

SQLITE_EVERY = 10
"""Every tenth seed runs on a file."""


@dataclass
class Report:
    """What a number of seeds showed."""

    seeds: int = 0
    on_sqlite: int = 0
    seconds: float = 0.0
    counts: Counts = field(default_factory=Counts)
    failed: dict[int, Exception] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """For people."""
        counts = self.counts
        lines = [
            f"{self.seeds:,} seeds ({self.on_sqlite:,} of them on SQLite) in {self.seconds:.0f} s: "
            f"{self.seeds / max(self.seconds, 0.001) * 60:,.0f} a minute",
            f"{counts.picks:,} choices of what happens next, {counts.commits:,} commits, {counts.checks:,} checks",
            "faults: " + ", ".join(f"{name} {times:,}" for name, times in sorted(counts.faults.items())),
            "seen: " + ", ".join(f"{what} {times:,}" for what, times in sorted(counts.seen.items())),
        ]
        lines.extend(f"BROKEN seed {seed}: {type(error).__name__}: {error}" for seed, error in self.failed.items())
        return lines


class Runner:
    """Runs seeds, one after another, in this process."""

    def __init__(self) -> None:
        # What is simulated to fail is logged as a warning a thousand times. Put back by close(): other tests of this process
        # read our loggers.
        self._logger = logging.getLogger("agboss")
        self._level = self._logger.level
        self._logger.setLevel(logging.CRITICAL)
        self._office: Assembled
        self._told: Told
        self._office, self._told = assembled()
        self._folder = tempfile.TemporaryDirectory(prefix="agboss-simulation-")
        self._template = Path(self._folder.name) / "template.db"

    def close(self) -> None:
        self._folder.cleanup()
        self._logger.setLevel(self._level)

    def run(
        self,
        seeds: Iterable[int],
        *,
        seconds: float | None = None,
        most_failures: int = 1,
        weather: Weather | None = None,
    ) -> Report:
        """Run these seeds, for at most ``seconds``, until ``most_failures`` are broken. Each has its own weather, or all
        have that one."""
        report = Report()
        begun = time.monotonic()
        for seed in seeds:
            if seconds is not None and time.monotonic() - begun > seconds:
                break
            report.seeds += 1
            on_file = seed % SQLITE_EVERY == SQLITE_EVERY - 1
            report.on_sqlite += on_file
            try:
                report.counts.add(self.one(seed, on_file=on_file, weather=weather))
            except Exception as error:
                report.failed[seed] = error
                if len(report.failed) >= most_failures:
                    break
        report.seconds = time.monotonic() - begun
        return report

    def one(self, seed: int, *, on_file: bool, weather: Weather | None = None, tracing: bool = False) -> Counts:
        """Run one seed.

        Raises:
            Violation: an invariant is broken.
        """
        if not on_file:
            return run_seed(seed, self._office, self._told, weather=weather, tracing=tracing)
        path = self._fresh_file()

        def on_sqlite(world: World) -> SqlitePauseIndex:
            return SqlitePauseIndex(path, clock=world, inline=True)

        return run_seed(seed, self._office, self._told, on_sqlite, weather=weather, tracing=tracing)

    def _fresh_file(self) -> Path:
        if not self._template.exists():
            migrate(f"sqlite:///{self._template}")
        for left in Path(self._folder.name).glob("seed.db*"):
            left.unlink()
        path = Path(self._folder.name) / "seed.db"
        shutil.copyfile(self._template, path)
        return path
