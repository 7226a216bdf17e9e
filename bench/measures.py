"""One measured value, and how samples become one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A line of the table and a key of ``out.json``."""

    key: str
    value: float
    unit: str
    """``""`` for a ratio or a count."""
    meaning: str
    low: float | None = None
    high: float | None = None
    """The spread, as ``spread`` says."""
    spread: str = ""
    at_most: float | None = None
    at_least: float | None = None
    """The target; ``None`` on both: there is none."""

    @property
    def meets(self) -> bool | None:
        """Whether the target is met; ``None`` without one."""
        if self.at_most is None and self.at_least is None:
            return None
        return self.value <= (self.at_most or math.inf) and self.value >= (self.at_least or 0.0)


def of_samples(key: str, samples: Sequence[float], *, unit: str, meaning: str, **target: float) -> Measure:
    """The median of many samples, with the tenth and ninetieth percentile."""
    ordered = sorted(samples)
    low, high = ordered[len(ordered) // 10], ordered[len(ordered) * 9 // 10]
    return Measure(
        key=key, value=median(ordered), unit=unit, meaning=meaning, low=low, high=high, spread="p10–p90", **target
    )


def of_rounds(key: str, rounds: Sequence[float], *, unit: str, meaning: str, **target: float) -> Measure:
    """The median of a few rounds, with the least and the most."""
    return Measure(
        key=key,
        value=median(rounds),
        unit=unit,
        meaning=meaning,
        low=min(rounds),
        high=max(rounds),
        spread="min–max",
        **target,
    )


def say(text: str) -> None:
    """Tell whoever watches what is being done."""
    print(text, flush=True)
