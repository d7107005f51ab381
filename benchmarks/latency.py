"""How long a whole verdict takes: one compiled candidate of each native task, timing included.

    python benchmarks/latency.py [--level standard] [--record out/latency.jsonl] [--tasks eigh ...]

Each candidate is judged alone, truths and build included, as `assay eval` would the first time.
Resumable: a task that is recorded is not judged again. Wants a quiet machine; the share of its
time that a virtual machine did not get from its host is recorded beside the seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from refusal_entrants import Entrant, Kind, Suite, entrants

from assay.data.settings import Level, Settings
from assay.pipeline import evaluate_many

COMPILED = ("cpp", "cpp_source")


def compiled(names: list[str]) -> list[Entrant]:
    """The first honest compiled kernel of each task."""
    first: dict[str, Entrant] = {}
    for one in entrants(Suite.NATIVE):
        if one.kind is Kind.HONEST and one.candidate.language in COMPILED:
            first.setdefault(one.task, one)
    return [one for task, one in first.items() if not names or task in names]


def processor_ticks() -> tuple[int, int]:
    """Ticks that the host kept to itself, and all ticks, of all processors since the start."""
    ticks = [int(n) for n in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def judged(entrant: Entrant, level: Level) -> dict[str, Any]:
    """The verdict, and the seconds from nothing to it."""
    began, before = time.monotonic(), processor_ticks()
    settings = Settings(level=level, track=entrant.track)
    (result,) = evaluate_many(entrant.task, [entrant.candidate], settings)
    stolen, passed = (b - a for a, b in zip(before, processor_ticks(), strict=True))
    return {
        "task": entrant.task,
        "name": entrant.name,
        "level": level.value,
        "status": result.verdict.status.value,
        "seconds": round(time.monotonic() - began, 2),
        "cores": len(os.sched_getaffinity(0)),
        "stolen": round(stolen / max(1, passed), 3),
        "load_before": round(os.getloadavg()[0], 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--level", type=Level, choices=list(Level), default=Level.STANDARD)
    parser.add_argument("--record", type=Path, default=Path("out/latency.jsonl"))
    parser.add_argument("--tasks", nargs="+", default=[])
    flags = parser.parse_args()
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    lines = flags.record.read_text().splitlines() if flags.record.exists() else []
    found = [json.loads(line) for line in lines]
    known = {(row["task"], row["level"]) for row in found}
    for entrant in compiled(flags.tasks):
        if (entrant.task, flags.level.value) in known:
            continue
        row = judged(entrant, flags.level)
        found.append(row)
        with flags.record.open("a") as file:
            file.write(json.dumps(row) + "\n")
        stolen = f"{100 * row['stolen']:.0f} % stolen"
        print(f"{row['seconds']:6} s  {row['status']:10} {row['name']}  ({stolen})", flush=True)
    rows = [row for row in found if row["level"] == flags.level.value]
    slowest = max(rows, key=lambda row: row["seconds"])
    print(f"{len(rows)} tasks; the slowest: {slowest['task']}, {slowest['seconds']} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
