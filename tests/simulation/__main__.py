"""`python -m tests.simulation`: run seeds until something breaks, or replay one with its trace."""

import argparse
import sys
import traceback

from tests.simulation.report import SQLITE_EVERY, Report, Runner


def main() -> int:
    parser = argparse.ArgumentParser(
        description="The deterministic simulation of the protocol, over the project's own code."
    )
    parser.add_argument("--seed", type=int, help="replay this one and print its trace")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--seeds", type=int, help="how many; without it and --seconds, for ever")
    parser.add_argument("--seconds", type=float, help="for how long")
    chosen = parser.parse_args()
    runner = Runner()
    try:
        if chosen.seed is not None:
            return replay(runner, chosen.seed)
        whole = Report()
        seed, seconds_left = chosen.first, chosen.seconds
        left = chosen.seeds
        while (left is None or left > 0) and (seconds_left is None or seconds_left > 0):
            count = 2_000 if left is None else min(left, 2_000)
            report = runner.run(range(seed, seed + count), seconds=seconds_left)
            whole.seeds += report.seeds
            whole.on_sqlite += report.on_sqlite
            whole.seconds += report.seconds
            whole.counts.add(report.counts)
            whole.failed.update(report.failed)
            print("\n".join(whole.lines()), flush=True)
            if whole.failed:
                return 1
            seed += count
            left = None if left is None else left - count
            seconds_left = None if seconds_left is None else seconds_left - report.seconds
        return 0
    except KeyboardInterrupt:
        return 130
    finally:
        runner.close()


def replay(runner: Runner, seed: int) -> int:
    """One seed, with everything that happens in it."""
    try:
        counts = runner.one(seed, on_file=seed % SQLITE_EVERY == SQLITE_EVERY - 1, tracing=True)
    except Exception:
        traceback.print_exc()
        return 1
    print(f"seed {seed} holds: {counts}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
