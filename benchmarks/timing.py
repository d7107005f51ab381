"""What the clock can tell apart, on a device: A/A, A/B, known durations, and clocks that lie.

    python benchmarks/timing.py [--parts aa ab known outside] [--record FILE]

Every comparison goes the way of an ordinary evaluation: processes of their own behind the wall,
batches behind a gate, rounds in random order, the interval that a verdict would state. Kernels are
compared in several processes each, paired anew every time. The record holds the environment and
every figure.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from timing_kernels import LOOP, LYING, SOFTMAX, SPIN, Kernel, task

from assay.data.observations.measurement import Difference
from assay.data.plan import Plan
from assay.data.settings import Level, Settings, Track
from assay.devices.device_registry import backend
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey, Exam
from assay.exam.secret import Secret
from assay.exam.workloads.workload_sweep import sweep
from assay.judge.speedup import speedup
from assay.sandbox.host.planned_call import PlannedCall, output_bytes, timed_calls
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.tasks.references.reference import Reference
from assay.timing.baseline import null_candidate
from assay.timing.device_measurement import measurement
from assay.timing.device_round_times import DeviceRoundTimes
from assay.timing.device_rounds import DeviceRounds, DeviceSide
from assay.timing.device_stopwatch import PROCESSES_OF_SHORT, SHORT_US
from assay.timing.statistics.intervals import difference

ROUNDS = 10
AA_PAIRS = 134  # of each of three kernels
AB_PAIRS = 100
PROCESSES = 6  # of either kernel: what one process is off by is off in all of its comparisons
CALLS = 48
UNROLLED = 800  # so many iterations, and 1.02 times as many, are whole turns of an unrolled loop
SMALL, LARGE = 128, 4096  # rows of 1024 numbers: half a megabyte, and 16
SETTINGS = Settings(device="cuda", level=Level.QUICK, track=Track.OPEN)

Row = dict[str, Any]


class Circuit:
    """Sessions of several kernels on one wall, raced again and again."""

    def __init__(self, wall: Wall, rows: int) -> None:
        self._wall = wall
        self._secret = Secret.draw()
        reference = Reference(task(rows))
        chosen = sweep(reference, Level.QUICK, self._secret.random("sweep"))[:1]
        self.exam = Exam(reference, Plan.of(SETTINGS, self._secret.hex, tuple(chosen)))
        self._rng = random.Random(7)

    @contextmanager
    def device_rounds(self, kernels: list[Kernel]) -> Iterator[tuple[DeviceRounds, int]]:
        """Everybody built and warm; yields the race and the calls of a batch."""
        null = null_candidate(self.exam.expectation(ContentKey(0)), backend("cuda"))
        sessions: list[Session] = []
        try:
            runners = []
            for candidate in (*(one.candidate() for one in kernels), null):
                session = Session(self._wall)
                sessions.append(session)
                built = Builder(self.exam, None).build(session, candidate, SETTINGS)
                if not built.seen.ok:
                    raise SystemExit(f"{candidate.name}: {built.seen.log[-1500:]}")
                runners.append(DeviceSide.enter(candidate.name, session, self._calls(), self._rng))
            device_rounds = DeviceRounds(runners, self._rng, 60.0)
            yield device_rounds, device_rounds.settle(CALLS, 0.004)
        finally:
            for session in sessions:
                session.close()

    def _calls(self) -> list[PlannedCall]:
        sizes = output_bytes(self.exam.expectation(ContentKey(0)))
        return timed_calls(self.exam.timed_contents, CALLS, sizes)


def heat(device_rounds: DeviceRounds, length: int, seconds: float) -> DeviceRoundTimes:
    """Rounds that bring the clocks to where they stay; what they showed."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        device_rounds.round(length)
    return fresh(device_rounds)


def fresh(device_rounds: DeviceRounds) -> DeviceRoundTimes:
    """The times so far; the next rounds start anew."""
    found, device_rounds.times = (
        device_rounds.times,
        DeviceRoundTimes(len(device_rounds.runners) - 1, gaps_us=device_rounds.gaps_us),
    )
    return found


def compared(device_rounds: DeviceRounds, length: int, rounds: int = ROUNDS) -> DeviceRoundTimes:
    """One comparison: so many rounds of secret lengths."""
    rng = random.Random()
    for _ in range(rounds):
        device_rounds.round(max(4, int(length * rng.uniform(0.75, 1.0))))
    return fresh(device_rounds)


def pairs(circuit: Circuit, first: Kernel, second: Kernel, count: int, processes: int) -> list[Row]:
    """At least so many comparisons of one kernel with another, each in so many processes."""
    rng, rows = random.Random(), list[Row]()
    with circuit.device_rounds([first] * PROCESSES + [second] * PROCESSES) as (
        device_rounds,
        length,
    ):
        heat(device_rounds, length, 0.5)
        while len(rows) < count:
            found = compared(device_rounds, length)
            ones = rng.sample(range(PROCESSES), PROCESSES)
            others = rng.sample(range(PROCESSES, 2 * PROCESSES), PROCESSES)
            for start in range(0, PROCESSES, processes):
                group = slice(start, start + processes)
                row = _row(found, [*ones[group], *others[group]])
                rows.append({"names": [first.name, second.name], **row})
    return rows


def _row(found: DeviceRoundTimes, places: list[int]) -> Row:
    """What a verdict would say of two sides that run in these processes, half of them each."""
    gaps = [found.gaps_us[place] for place in places] if found.gaps_us else []
    runs = [found.runs[place] for place in (*places, -1)]
    times = DeviceRoundTimes(
        2, gaps_us=tuple(gaps), processes=len(places) // 2, lengths=found.lengths, runs=runs
    )
    ratio = speedup(*(measurement(times, side, str(side), "warm") for side in range(2)))
    return {
        "processes": places,
        "gaps_us": gaps,
        "us": statistics.median(times.samples_us(0)),
        "ratio": ratio.mid,
        "low": ratio.low,
        "high": ratio.high,
        "half_width": ratio.half_width,
        "said": difference(ratio).value,
        "inside": times.inside,
        "gated": all(times.gated(side) for side in range(2)),
    }


def scaled(circuit: Circuit, wanted_us: float) -> int:
    """Iterations of the loop that last so long."""
    with circuit.device_rounds([LOOP(4000), LOOP(8000)]) as (device_rounds, length):
        found = compared(device_rounds, length, 8)
    short, long = (statistics.median(found.samples_us(side)) for side in range(2))
    wanted = 4000 + (wanted_us - short) / (long - short) * 4000
    return max(1, round(wanted / UNROLLED)) * UNROLLED


def _processes(call_us: float) -> int:
    """As many as `standard` would give a side of calls of that length."""
    return PROCESSES_OF_SHORT if call_us < SHORT_US[Level.STANDARD] else 1


def aa(wall: Wall) -> Iterator[list[Row]]:
    """402 pairs of the same kernel: two that compute, one that moves memory."""
    circuit = Circuit(wall, SMALL)
    for wanted_us in (20.0, 100.0):
        n = scaled(circuit, wanted_us)
        yield pairs(circuit, LOOP(n), LOOP(n), AA_PAIRS, _processes(wanted_us))
    yield pairs(Circuit(wall, LARGE), SOFTMAX(0), SOFTMAX(0), AA_PAIRS, _processes(13.0))


def ab(wall: Wall) -> Iterator[list[Row]]:
    """100 pairs each of a loop and one of 1.02 times its iterations."""
    circuit = Circuit(wall, SMALL)
    for wanted_us in (10.0, 100.0):
        n = scaled(circuit, wanted_us)
        yield pairs(circuit, LOOP(int(1.02 * n + 0.5)), LOOP(n), AB_PAIRS, _processes(wanted_us))


def known(wall: Wall) -> Iterator[list[Row]]:
    """Spins of d and of 2d nanoseconds of the global timer."""
    circuit = Circuit(wall, SMALL)
    for ns in (20_000, 50_000, 200_000):
        with circuit.device_rounds([SPIN(ns), SPIN(2 * ns)]) as (device_rounds, length):
            found = compared(device_rounds, length, 30)
        one, two = (statistics.median(found.samples_us(side)) for side in range(2))
        off = 100 * ((two - one) * 1e3 / ns - 1)
        shown = {"d_us": ns / 1e3, "one_us": one, "two_us": two, "difference_off_percent": off}
        yield [{**shown, "offset_us": one - ns / 1e3, "pair_us": found.offset_us()}]


def outside(wall: Wall) -> Iterator[list[Row]]:
    """A process whose events lie by ten times, and an honest one, 50 times each."""
    circuit = Circuit(wall, SMALL)
    for wanted_us in (10.0, 100.0):
        n = scaled(circuit, wanted_us)
        for kernel in (LYING(n), LOOP(n)):
            rows: list[Row] = []
            with circuit.device_rounds([kernel]) as (device_rounds, length):
                heat(device_rounds, length, 0.3)
                for _ in range(50):
                    found = compared(device_rounds, length, 10)
                    share, believed = found.inside_share(0), found.believed(0)
                    us = statistics.median(found.outside_us(0))
                    rows.append(
                        {"name": kernel.name, "us": us, "share": share, "believed": believed}
                    )
            yield rows


PARTS: dict[str, Callable[[Wall], Iterator[list[Row]]]] = {
    "aa": aa,
    "ab": ab,
    "known": known,
    "outside": outside,
}


def summary(part: str, rows: list[Row]) -> list[str]:
    """The figures that are asked for, a line each."""
    if part == "known":
        return [f"known: {json.dumps(row)}" for row in rows]
    lines = []
    names = dict.fromkeys(json.dumps(row.get("names", row.get("name"))) for row in rows)
    for name in names:
        some = [r for r in rows if json.dumps(r.get("names", r.get("name"))) == name]
        us = statistics.median(r["us"] for r in some)
        if part == "outside":
            doubted = sum(not r["believed"] for r in some)
            shares = sorted(r["share"] for r in some)
            span = f"share {shares[0]:.3f} to {shares[-1]:.3f}"
            lines.append(f"outside: {name} {us:.2f} us, doubted {doubted} of {len(some)}, {span}")
            continue
        holds = sum(r["low"] <= 1.0 <= r["high"] for r in some)
        said = {word.value: sum(r["said"] == word.value for r in some) for word in Difference}
        width = statistics.median(r["half_width"] for r in some)
        ratio = statistics.median(r["ratio"] for r in some)
        gated = sum(r["gated"] for r in some)
        lines.append(
            f"{part}: {name} {us:.2f} us, {len(some)} pairs, 1 inside {holds}, {said}, "
            f"median ratio {ratio:.5f}, median half-width {100 * width:.3f} %, gated {gated}"
        )
    return lines


def main() -> int:
    """Run the parts, print their figures, keep every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--record", type=Path, default=Path("out/timing.json"))
    flags = parser.parse_args()
    with Wall(("torch", "triton", "triton.language"), device="cuda") as wall:
        device = backend("cuda")
        found: dict[str, Any] = {
            "device": device.describe().model_dump(),
            "reading_before": device.reading().model_dump(),
        }
        for part in flags.parts:
            began = time.monotonic()
            found[part] = []
            for rows in PARTS[part](wall):
                found[part] += rows
                found["reading_after"] = device.reading().model_dump()
                print("\n".join(summary(part, rows)), flush=True)
                flags.record.parent.mkdir(parents=True, exist_ok=True)
                flags.record.write_text(json.dumps(found) + "\n", encoding="utf-8")
            print(f"{part} took {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
