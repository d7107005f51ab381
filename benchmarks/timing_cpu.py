"""CPU times beside a plain loop's, and the reference beside itself; everything as ratios.

    python benchmarks/timing_cpu.py [--only TASK] [--runs 1] [--record benchmarks/results/...]

For each of twelve native tasks: the reference is judged as a candidate on the open track, with a
plain loop over a ring before and after it in the same minute. `--five` judges each chosen task.s
reference five times. Resumable by task: what the record holds is not measured again unless it is
named by `--only`. Meant for a machine on which nothing else runs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from assay.tasks.catalog import resolve

TASKS = (
    "softmax",
    "gelu",
    "layernorm",
    "rmsnorm",
    "row_sum",
    "row_argmax",
    "swiglu",
    "matmul",
    "linear_relu",
    "cross_entropy",
    "conv2d",
    "attention",
)
RECORD = Path("benchmarks/results/timing_cpu.json")
FIVE = 5
Found = dict[str, Any]


def main() -> int:
    flags = parsed_flags()
    record: Found = json.loads(flags.record.read_text()) if flags.record.exists() else {}
    for task in flags.only or TASKS:
        if flags.only or task not in record:
            runs = FIVE if flags.five else flags.runs
            record[task] = measured(task, runs, flags.level)
            flags.record.write_text(json.dumps(record, indent=1) + "\n")
            print(line(task, record[task]), flush=True)
    print("\n".join(table(record)))
    return 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=TASKS)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--five", action="store_true", help="five runs of each task chosen")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--record", type=Path, default=RECORD)
    return parser.parse_args()


def measured(task: str, runs: int, level: str) -> Found:
    """Runs of one task, each between two plain loops."""
    loops, found = [plain_loop_us(task)], []
    for _ in range(runs):
        found.append(judged(task, level))
        loops.append(plain_loop_us(task))
    return {"loop_us": loops, "runs": found}


def plain_loop_us(task: str) -> float:
    """In a process of its own."""
    script = Path(__file__).parent / "plain_loop.py"
    command = [sys.executable, str(script), task]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def judged(task: str, level: str) -> Found:
    """The reference as a candidate: its timing, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.py"
        reference = resolve(task)
        path.write_text(f"{reference.source}\n\nModelNew = {reference.entry}\n")
        assay = str(Path(sys.executable).parent / "assay")
        asked = ("eval", task, str(path), "--track", "open", "--level", level, "--json")
        done = subprocess.run([assay, *asked], capture_output=True, text=True, check=False)
    verdict = json.loads(done.stdout.splitlines()[0])
    timing = (verdict["timing"] or [None])[0]
    if timing is None:
        return {"status": verdict["status"], "reason": verdict.get("timing_reason", "")}
    kept = ("baseline_us", "candidate_us", "speedup", "speedup_low", "speedup_high", "remarks")
    return {"status": verdict["status"], **{key: timing[key] for key in kept}}


def timed(one: Found) -> list[Found]:
    return [run for run in one["runs"] if "speedup" in run]


def over_loop(one: Found) -> list[float]:
    """Each run's baseline over the plain loops just before and after it."""
    loops = one["loop_us"]
    return [
        run["baseline_us"] / statistics.fmean(loops[i : i + 2])
        for i, run in enumerate(one["runs"])
        if "speedup" in run
    ]


def half_width(run: Found) -> float:
    return float((run["speedup_high"] - run["speedup_low"]) / 2 / run["speedup"])


def spread(one: Found) -> float:
    """The slowest run of the baseline over the quickest, less one."""
    times = [run["baseline_us"] for run in timed(one)]
    return max(times) / min(times) - 1 if times else float("nan")


def line(task: str, one: Found) -> str:
    if not timed(one):
        return f"{task:15} not timed: {one['runs'][0].get('reason', '')}"
    ratios = "  ".join(f"{ratio:.3f}" for ratio in over_loop(one))
    itself = "  ".join(f"{run['speedup']:.3f} +- {half_width(run):.3f}" for run in timed(one))
    busy = sum(any("busy" in text for text in run["remarks"]) for run in timed(one))
    said = f"  ({busy} on a busy machine)" if busy else ""
    return f"{task:15} over the loop {ratios}   against itself {itself}{said}"


def table(record: Found) -> list[str]:
    """Against the targets, each with how many tasks reach it."""
    rows = {task: one for task, one in record.items() if timed(one)}
    near = [t for t, one in rows.items() if abs(statistics.median(over_loop(one)) - 1) <= 0.1]
    itself = [
        t
        for t, one in rows.items()
        if 0.97 <= statistics.median(run["speedup"] for run in timed(one)) <= 1.03
    ]
    widths = [half_width(run) for one in rows.values() for run in timed(one)]
    five = {task: spread(one) for task, one in rows.items() if len(timed(one)) >= FIVE}
    return [
        "",
        *(line(task, one) for task, one in record.items()),
        "",
        f"baseline within 10 % of the plain loop: {len(near)} of {len(record)} (target: all)",
        f"reference against itself 0.97 to 1.03:  {len(itself)} of {len(record)} (target: all)",
        f"half-width, median of {len(widths)}: {statistics.median(widths or [0]):.3f}"
        " (target: 0.05 at most)",
        *(f"five runs of {t}: apart by {100 * s:.0f} % (target: 10 %)" for t, s in five.items()),
    ]


if __name__ == "__main__":
    sys.exit(main())
