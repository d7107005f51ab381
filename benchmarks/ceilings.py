"""Our calibration's ceilings beside plain torch loops, taken in turns.

    python benchmarks/ceilings.py [--device cuda] [--rounds 5] [--record FILE]

Copy bandwidth and the bf16 product, both on normal data: once as `assay device` measures them, once
as anyone would, events around a loop. Prints both, best and median, and the difference in per cent;
`--record` writes every sample with the environment. Exits with 1 where they differ by more than
5 %, with 2 where there is no such device.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from assay import __version__
from assay.data.device import Device, DeviceReading
from assay.devices import device_registry
from assay.devices.burst import EventTimer
from assay.devices.calibration.calibrate_cuda import (
    CalibrationPlan,
    CalibrationSetup,
    copy,
    copy_buffer_bytes,
    matmul,
)
from assay.devices.device_adapter import DeviceBackend
from assay.devices.lease import device_key, lease

ALLOWED_PERCENT = 5.0
LOOPS, CALLS = 20, 10
WAIT_S = 120.0


@dataclass
class Subject:
    """One ceiling: what a call moves or computes, and both ways of timing it."""

    name: str
    unit: str
    work: float
    ours: Callable[[], tuple[float, ...]]
    plain: Callable[[], tuple[float, ...]]
    ours_us: list[float] = field(default_factory=list)
    plain_us: list[float] = field(default_factory=list)

    def differences_percent(self) -> dict[str, float]:
        """Ours over plain, less one: of the best samples, and of the medians."""
        return {
            "best": 100 * (min(self.plain_us) / min(self.ours_us) - 1),
            "median": 100
            * (statistics.median(self.plain_us) / statistics.median(self.ours_us) - 1),
        }

    def agree(self) -> bool:
        """Whether both are within the allowance."""
        return all(
            abs(percent) <= ALLOWED_PERCENT for percent in self.differences_percent().values()
        )

    def rates(self, samples_us: list[float]) -> tuple[float, float]:
        """Best and median, in 10^12 a second."""
        return self.work / min(samples_us) / 1e6, self.work / statistics.median(samples_us) / 1e6

    def line(self) -> str:
        """Both ways beside each other, and whether they agree."""
        shown = [
            f"{side} best {best:.2f}, median {median:.2f} T{self.unit}"
            for side, (best, median) in (
                ("ours", self.rates(self.ours_us)),
                ("plain", self.rates(self.plain_us)),
            )
        ]
        differences = ", ".join(
            f"{name} {percent:+.2f} %" for name, percent in self.differences_percent().items()
        )
        verdict = "agree" if self.agree() else f"DIFFER by more than {ALLOWED_PERCENT:g} %"
        return f"{self.name}: {'; '.join(shown)}; {differences}: {verdict}"

    def record(self) -> dict[str, Any]:
        """Every sample, in the order taken."""
        return {
            "name": self.name,
            "work_per_call": self.work,
            "unit": self.unit,
            "difference_percent": self.differences_percent(),
            "agree": self.agree(),
            "ours_us": self.ours_us,
            "plain_us": self.plain_us,
        }


def plain_loop(work: Callable[[], object]) -> tuple[float, ...]:
    """Microseconds a call, one figure a loop, as anyone would take them."""
    for _ in range(CALLS):
        work()
    torch.cuda.synchronize()
    found = []
    for _ in range(LOOPS):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(CALLS):
            work()
        end.record()
        torch.cuda.synchronize()
        found.append(1e3 * start.elapsed_time(end) / CALLS)
    return tuple(found)


def plain_copy(plan: CalibrationPlan, device: torch.device) -> tuple[float, ...]:
    source = torch.randn(plan.copy_bytes // 4, device=device)
    target = torch.empty_like(source)
    return plain_loop(lambda: target.copy_(source))


def plain_matmul(plan: CalibrationPlan, device: torch.device) -> tuple[float, ...]:
    left = torch.randn(plan.half_size, plan.half_size, device=device, dtype=torch.bfloat16)
    right = torch.randn(plan.half_size, plan.half_size, device=device, dtype=torch.bfloat16)
    return plain_loop(lambda: left @ right)


def subjects(workshop: CalibrationSetup) -> list[Subject]:
    plan, device = workshop.plan, workshop.device
    return [
        Subject(
            "copy",
            "B/s",
            2.0 * plan.copy_bytes,
            lambda: copy(workshop).per_call_us,
            lambda: plain_copy(plan, device),
        ),
        Subject(
            "bf16 matmul",
            "FLOP/s",
            2.0 * plan.half_size**3,
            lambda: matmul(workshop, torch.bfloat16).per_call_us,
            lambda: plain_matmul(plan, device),
        ),
    ]


def take_turns(compared: list[Subject], rounds: int) -> None:
    """Every measurement once a round, in random order."""
    turns = [
        (samples, measure)
        for subject in compared
        for samples, measure in (
            (subject.ours_us, subject.ours),
            (subject.plain_us, subject.plain),
        )
    ]
    for _ in range(rounds):
        for samples, measure in random.sample(turns, len(turns)):
            samples.extend(measure())


def environment(device: Device, before: DeviceReading, after: DeviceReading) -> dict[str, Any]:
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "cuda": torch.version.cuda,
        "device": device.model_dump(),
        "reading_before": before.model_dump(),
        "reading_after": after.model_dump(),
    }


def compare(
    adapter: DeviceBackend, index: int, rounds: int
) -> tuple[list[Subject], dict[str, Any]]:
    """Both ceilings, both ways, on one CUDA device that nobody else times on meanwhile."""
    device = adapter.describe()
    plan = CalibrationPlan(copy_bytes=copy_buffer_bytes(device), measure_s=0.3)
    with lease(device_key(device), WAIT_S), torch.cuda.device(index):
        compared = subjects(CalibrationSetup(torch.device("cuda", index), EventTimer(), plan))
        before = adapter.reading()
        take_turns(compared, rounds)
        after = adapter.reading()
    return compared, environment(device, before, after)


def main() -> int:
    parser = argparse.ArgumentParser(description="Our ceilings beside plain torch loops.")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--record", type=Path)
    given = parser.parse_args()
    adapter = device_registry.backend(given.device)
    missing = adapter.available()
    if missing is not None or not given.device.startswith("cuda"):
        print(f"{given.device}: {missing or 'not a CUDA device'}", file=sys.stderr)
        return 2
    index = int(given.device.partition(":")[2] or 0)
    compared, surroundings = compare(adapter, index, given.rounds)
    for subject in compared:
        print(subject.line())
    if given.record:
        result = {
            "schema_version": 1,
            "allowed_percent": ALLOWED_PERCENT,
            "rounds": given.rounds,
            "environment": surroundings,
            "subjects": [subject.record() for subject in compared],
        }
        given.record.parent.mkdir(parents=True, exist_ok=True)
        given.record.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if all(subject.agree() for subject in compared) else 1


if __name__ == "__main__":
    sys.exit(main())
