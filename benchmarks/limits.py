"""The floors of KernelBench's tasks beside the times it publishes.

    python benchmarks/limits.py FOLDER_OF_KERNELBENCH

Traces every task of levels 1 to 3 of a user's checkout, and compares each floor with the eager
times under `results/timing/`. Prints how long tracing took, every time that is faster than its
floor, and the tightest ones. Exits with 1 where a task has no floor or a time beats it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from assay.data.limits import TaskLimits
from assay.devices.peaks import board
from assay.errors import TaskError
from assay.limits.task_floor import floor_of
from assay.tasks.catalog import tasks_of

BOARDS = {"H100_Modal": "h100-sxm", "H100_PCIe_LambdaLabs": "h100-pcie"}
TIMES = "baseline_time_torch.json"
SHOWN = 15


def main() -> int:
    folder, bad = Path(sys.argv[1]), 0
    for published, name in BOARDS.items():
        times = json.loads((folder / "results" / "timing" / published / TIMES).read_text())
        began_s = time.monotonic()
        ratios, failed = [], 0
        for level in (1, 2, 3):
            floors, missing = traced(folder / "KernelBench" / f"level{level}", name)
            failed += missing
            measured = times[f"level{level}"]
            for floor in floors:
                entry = measured.get(f"{floor.task}.py")
                if entry is not None:
                    ratios.append((1e3 * entry["mean"] / floor.sol_us, level, floor))
        ratios.sort(key=lambda row: row[0])
        faster = [row for row in ratios if row[0] < 1.0]
        print(
            f"{published} against {name}: {len(ratios)} times, {failed} tasks without a floor, "
            f"{time.monotonic() - began_s:.0f} s; {len(faster)} faster than the floor"
        )
        for ratio, level, floor in [*faster, *ratios[:SHOWN]]:
            print(f"  {ratio:7.3f} x  level {level}  {floor.task}  {floor.bound}")
        bad += failed + len(faster)
    return 1 if bad else 0


def traced(folder: Path, name: str) -> tuple[list[TaskLimits], int]:
    """The floors of a folder's tasks, and how many have none."""
    floors, failed = [], 0
    for task in tasks_of(f"kernelbench:{folder}"):
        try:
            floors.append(floor_of(task, board(name)))
        except TaskError as error:
            failed += 1
            print(f"  {error}")
    return floors, failed


if __name__ == "__main__":
    sys.exit(main())
