"""A gate of agboss against the same gate written by hand: latency, throughput, history."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median

from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

from bench.cpu import Cpu
from bench.measures import Measure, of_rounds, of_samples, say
from bench.sides import THINKING_SECONDS, Side, gate
from bench.sizes import Sizes
from bench.stage import Stage

AT_ONCE = 32
SETTLED_SECONDS = 0.5
"""Between question and answer where histories are counted: the workflow rests by then, however busy the machine is."""


async def measure_gates(ours: Side, by_hand: Side, on: Stage, sizes: Sizes) -> list[Measure]:
    """All of it, on workers that run already."""
    client = on.client
    for side in (ours, by_hand):
        await _stretch(side, client, gates=sizes.warm_up)
    say(f"   {sizes.one_at_a_time} gates a side, one at a time, in turns …")
    latency = await _latency(ours, by_hand, client, sizes.one_at_a_time)
    say(f"   {sizes.answered_at_once} more a side, answered at once …")
    latency += await _answered_at_once(ours, by_hand, client, sizes.answered_at_once)
    say(f"   {sizes.rounds} rounds of {sizes.gates_a_round} gates a side, {AT_ONCE} at a time, in turns …")
    for side in (ours, by_hand):
        await _stretch(side, client, gates=AT_ONCE)
    throughput = await _throughput(ours, by_hand, on, sizes)
    say(f"   {sizes.settled} gates a side whose histories are counted …")
    histories = await _histories(ours, by_hand, client, sizes.settled)
    for side in (ours, by_hand):
        alone = sizes.warm_up + sizes.one_at_a_time + sizes.answered_at_once + sizes.settled
        expected = alone + AT_ONCE + sizes.rounds * sizes.gates_a_round
        if side.desk.refunds != expected:
            raise RuntimeError(f"{side.name} ran its tool {side.desk.refunds} times in {expected} gates")
    return latency + throughput + histories


def _in_turns(sides: tuple[Side, Side], rounds: int) -> Iterable[tuple[Side, Side]]:
    """Who goes first changes from round to round, so that a machine that slows down slows both."""
    for number in range(rounds):
        yield sides if number % 2 == 0 else (sides[1], sides[0])


async def _latency(ours: Side, by_hand: Side, client: Client, count: int) -> list[Measure]:
    mine, other = await _seconds(ours, by_hand, client, count, thinking=THINKING_SECONDS)
    return [
        _ratio(
            "gate.latency_ratio_c1",
            mine,
            other,
            meaning="a gate of agboss to one written by hand, one at a time, medians",
            at_most=1.15,
        ),
        of_samples("gate.latency_ms", [1e3 * s for s in mine], unit="ms", meaning="start to end, agboss"),
        of_samples("gate.latency_by_hand_ms", [1e3 * s for s in other], unit="ms", meaning="start to end, by hand"),
    ]


async def _answered_at_once(ours: Side, by_hand: Side, client: Client, count: int) -> list[Measure]:
    mine, other = await _seconds(ours, by_hand, client, count, thinking=0.0)
    meaning = "the same ratio, answered in the moment of asking: a bare signal overtakes the end of send"
    return [_ratio("gate.latency_ratio_c1_at_once", mine, other, meaning=meaning)]


async def _seconds(
    ours: Side, by_hand: Side, client: Client, count: int, *, thinking: float
) -> tuple[list[float], list[float]]:
    """Of ``count`` gates a side, one at a time."""
    seconds: dict[str, list[float]] = {ours.name: [], by_hand.name: []}
    for turn in _in_turns((ours, by_hand), count):
        for side in turn:
            seconds[side.name].append((await gate(side, client, thinking=thinking))[0])
    return seconds[ours.name], seconds[by_hand.name]


def _ratio(
    key: str, mine: Sequence[float], other: Sequence[float], *, meaning: str, at_most: float | None = None
) -> Measure:
    """Of the medians; the spread is that of the pairs that ran one after the other."""
    pairs = of_samples(key, [a / b for a, b in zip(mine, other, strict=True)], unit="×", meaning=meaning)
    return replace(pairs, value=median(mine) / median(other), spread="p10–p90 of pairs", at_most=at_most)


async def _throughput(ours: Side, by_hand: Side, on: Stage, sizes: Sizes) -> list[Measure]:
    rates: dict[str, list[float]] = {ours.name: [], by_hand.name: []}
    spent: dict[str, list[Cpu]] = {ours.name: [], by_hand.name: []}
    for turn in _in_turns((ours, by_hand), sizes.rounds):
        for side in turn:
            before = on.meter()
            rates[side.name].append(await _stretch(side, on.client, gates=sizes.gates_a_round))
            spent[side.name].append(on.meter().since(before))
        say(f"      gates a second: agboss {rates[ours.name][-1]:.1f}, by hand {rates[by_hand.name][-1]:.1f}")
    mine, other = rates[ours.name], rates[by_hand.name]
    return [
        of_rounds(
            "gate.throughput_ratio_c32",
            [a / b for a, b in zip(mine, other, strict=True)],
            unit="×",
            meaning=f"gates a second of agboss to those by hand, {AT_ONCE} at a time, median round",
            at_least=0.85,
        ),
        of_rounds("gate.throughput_per_s", mine, unit="/s", meaning=f"gates a second, {AT_ONCE} at a time, agboss"),
        of_rounds("gate.throughput_by_hand_per_s", other, unit="/s", meaning="the same, by hand"),
        of_rounds(
            "gate.cpu_ratio_c32",
            [a.total / b.total for a, b in zip(spent[ours.name], spent[by_hand.name], strict=True)],
            unit="×",
            meaning="processor time of a gate, server and all, of agboss to that by hand, median round",
        ),
        *_cpu(ours.name, "", spent[ours.name], sizes.gates_a_round),
        *_cpu(by_hand.name, "_by_hand", spent[by_hand.name], sizes.gates_a_round),
    ]


def _cpu(name: str, suffix: str, rounds: Sequence[Cpu], gates: int) -> list[Measure]:
    """Of a gate, in the rounds of many at a time."""
    process = [1e3 * one.process / gates for one in rounds]
    server = [1e3 * one.server / gates for one in rounds]
    return [
        of_rounds(
            f"gate.process_cpu{suffix}_ms",
            process,
            unit="ms",
            meaning=f"processor time of a gate, caller and worker, {name}",
        ),
        of_rounds(f"gate.server_cpu{suffix}_ms", server, unit="ms", meaning=f"processor time of a gate, server, {name}"),
    ]


async def _stretch(side: Side, client: Client, *, gates: int) -> float:
    """Gates a second, with ``AT_ONCE`` (or as many as there are) in flight all the time."""
    left = iter(range(gates))

    async def lane() -> None:
        for _ in left:
            await gate(side, client)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(min(AT_ONCE, gates)):
            group.create_task(lane())
    return gates / (time.perf_counter() - began)


async def _histories(ours: Side, by_hand: Side, client: Client, count: int) -> list[Measure]:
    found: list[Measure] = []
    for side, suffix in ((ours, ""), (by_hand, "_by_hand")):
        counted = [await _history(side, client) for _ in range(count)]
        events, size, activities = zip(*counted, strict=True)
        texts: Sequence[tuple[str, tuple[int, ...], str, str]] = (
            ("gate.events", events, "", "history events of a gate"),
            ("gate.history_bytes", size, "B", "size of a gate's history"),
            ("gate.activities", activities, "", "activities of a gate"),
        )
        for key, samples, unit, meaning in texts:
            found.append(of_rounds(key + suffix, samples, unit=unit, meaning=f"{meaning}, {side.name}"))
    return found


async def _history(side: Side, client: Client) -> tuple[int, int, int]:
    """Events, bytes and activities of one gate."""
    _, workflow = await gate(side, client, thinking=SETTLED_SECONDS)
    handle = client.get_workflow_handle(workflow)
    description = await handle.describe()
    history = await handle.fetch_history()
    scheduled = EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    activities = sum(event.event_type == scheduled for event in history.events)
    return len(history.events), description.raw_description.workflow_execution_info.history_size_bytes, activities
