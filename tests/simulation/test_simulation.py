"""The simulation in CI: a minute of it, the invariants of the design after every commit."""

import pytest

from tests.simulation.report import Runner


@pytest.mark.timeout(120)
@pytest.mark.parametrize("chunk", range(4))
def test_every_invariant_holds(chunk: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Invariants 1 to 8: in every order of events, with crashes, zombies, lost messages and repeated attempts."""
    runner = Runner()
    try:
        report = runner.run(range(chunk * 100_000, chunk * 100_000 + 100_000), seconds=15.0)
    finally:
        runner.close()
    with capsys.disabled():
        print("\n" + "\n".join(report.lines()))
    assert not report.failed, "\n".join(report.lines())
    assert report.seeds > 50 and report.on_sqlite > 5


def test_the_weather_brings_everything() -> None:
    """A few hundred seeds see every fault and every end there is; a fault that never strikes proves nothing."""
    runner = Runner()
    try:
        report = runner.run(range(7_000, 7_300))
    finally:
        runner.close()
    faults, seen = report.counts.faults, report.counts.seen
    assert not report.failed
    assert {
        "attempt_lost",
        "cancelled_in_ui",
        "client_killed",
        "clock_jumps",
        "delayed",
        "evicted",
        "index_away",
        "local_timeout",
        "model_away",
        "model_rejects",
        "send_answers",
        "send_decides",
        "send_raises",
        "temporal_away",
        "terminated",
        "tool_raises",
        "user_timeout",
        "worker_killed",
    } <= faults.keys()
    assert {
        "answers told",
        "executions cancelled",
        "executions failed",
        "executions finished",
        "pauses cancelled, cancelled",
        "pauses cancelled, replied",
        "pauses cancelled, withdrawn",
        "pauses taken, decided",
        "pauses taken, replied",
        "questions taken back",
        "questions that one of two channels decided",
        "replays",
        "rests",
        "runs continued as new",
        "tools ran",
    } <= {what for what, times in seen.items() if times}


def test_a_seed_replays() -> None:
    """The same seed gives the same day, twin or file: what failed once fails again."""
    runner = Runner()
    try:
        for seed in (11, 23):
            first = runner.one(seed, on_file=False)
            assert runner.one(seed, on_file=False) == first
            assert runner.one(seed, on_file=True) == first
    finally:
        runner.close()
