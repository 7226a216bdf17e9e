"""Processor time: on a machine that others use as well it says more than the clock."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_TICK_SECONDS = 1.0 / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cpu:
    """Seconds spent: by this process (callers and workers), and by the server."""

    process: float
    server: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.process + self.server

    def since(self, earlier: "Cpu") -> "Cpu":
        """What was spent in between."""
        return Cpu(self.process - earlier.process, self.server - earlier.server)


Meter = Callable[[], Cpu]


def meter_of(server: int) -> Meter:
    """Reads what this process and the process ``server`` have spent so far."""

    def read() -> Cpu:
        # After the command's name in brackets: the fields from the third on; user and system time are 14 and 15.
        fields = Path(f"/proc/{server}/stat").read_text().rsplit(")", 1)[1].split()
        return Cpu(process=time.process_time(), server=(int(fields[11]) + int(fields[12])) * _TICK_SECONDS)

    return read
