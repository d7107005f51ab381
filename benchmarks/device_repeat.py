"""One kernel, one figure: eight short kernels on a device, each judged in several fresh runs.

    python benchmarks/device_repeat.py [--runs 5] [--level quick] [--device cuda]
        [--record out/device_repeat.jsonl] [--kernels softmax ...] [--stop-after-s 480]

Every run is a process of its own: `assay eval TASK KERNEL --json`. All kernels are judged once
before any is judged again, so that runs of one kernel are minutes apart. Resumable: what is
recorded is not judged again. Says how far the speedups of one kernel spread (largest less smallest
over the median), how many pairs of its intervals are apart, and whether one run says `faster` where
another says `slower`. Ends with 0 where the worst spread is 5 %, at most 5 % of the pairs are apart
and none contradict each other.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from device_repeat_kernels import RepeatedKernel, kernels

WORST_SPREAD = 0.05
MOST_APART = 0.05
_START = "import sys; from assay.app.main import entry; sys.exit(entry())"
_KEPT = (
    "candidate_us",
    "baseline_us",
    "speedup",
    "speedup_low",
    "speedup_high",
    "host_speedup",
    "host_speedup_low",
    "host_speedup_high",
    "difference",
    "launch_bound",
    "method",
    "remarks",
)

Row = dict[str, Any]


def main() -> int:
    """Judge what is missing, then say what the runs show."""
    flags = parsed_flags()
    rows = read(flags.record)
    done = {(row["kernel"], row["run"]) for row in rows}
    ends = time.monotonic() + flags.stop_after_s
    chosen = [one for one in kernels() if any(part in one.name for part in flags.kernels)]
    with tempfile.TemporaryDirectory() as folder:
        for run, kernel in itertools.product(range(flags.runs), chosen):
            if (kernel.name, run) in done or time.monotonic() > ends:
                continue
            rows.append({"kernel": kernel.name, "run": run, **judged(kernel, Path(folder), flags)})
            flags.record.parent.mkdir(parents=True, exist_ok=True)
            with flags.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
            print(line(rows[-1]), flush=True)
    found = [summary(one.name, rows) for one in chosen]
    print("\n".join(text(one) for one in found))
    whole = total(found)
    print(json.dumps(whole))
    return 0 if whole["holds"] else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--level", default="quick")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--record", type=Path, default=Path("out/device_repeat.jsonl"))
    parser.add_argument("--kernels", nargs="+", default=[""], help="parts of names")
    parser.add_argument("--stop-after-s", type=float, default=86400.0)
    parser.add_argument("--timeout-s", type=float, default=120.0, help="of one run")
    return parser.parse_args()


def read(record: Path) -> list[Row]:
    """What earlier runs left."""
    lines = record.read_text(encoding="utf-8").splitlines() if record.exists() else []
    return [json.loads(one) for one in lines]


def judged(kernel: RepeatedKernel, folder: Path, flags: argparse.Namespace) -> Row:
    """One fresh run in a process of its own."""
    paths = [folder / f"{kernel.name}_{part}.py" for part in ("task", "kernel")]
    for path, source in zip(paths, (kernel.task, kernel.kernel), strict=True):
        path.write_text(source, encoding="utf-8")
    options = ["--device", flags.device, "--level", flags.level, "--json"]
    command = [sys.executable, "-c", _START, "eval", *map(str, paths), *options]
    began = time.monotonic()
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=flags.timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return {"status": "no answer", "reason": f"none within {flags.timeout_s:.0f} s"}
    seconds = round(time.monotonic() - began, 2)
    if not ran.stdout.strip():
        return {"status": "no answer", "reason": ran.stderr[-1000:], "seconds": seconds}
    return {**facts(json.loads(ran.stdout)), "seconds": seconds}


def facts(verdict: Row) -> Row:
    """What is kept of a verdict."""
    timing = (verdict["timing"] or [{}])[0]
    device = verdict["environment"]["device"]
    return {
        "status": verdict["status"],
        "reason": verdict["reason"],
        "timing_reason": verdict["timing_reason"],
        **{name: timing.get(name) for name in _KEPT},
        "stages": verdict.get("stages"),
        "machine": f"{device['name']}, driver {device.get('driver')}",
        "environment": {
            name: verdict["environment"].get(name) for name in ("assay", "torch", "python")
        },
    }


def line(row: Row) -> str:
    """One run."""
    if row.get("speedup") is None:
        why = f"{row.get('reason') or ''} {row.get('timing_reason') or ''}"
        return f"{row['kernel']} {row['run']}: {row['status']}: {why[:400]}"
    host = row["host_speedup"]
    beside = f", host {host:.3f}x" if host is not None else ""
    return (
        f"{row['kernel']} {row['run']}: {row['status']}, {row['speedup']:.3f}x "
        f"[{row['speedup_low']:.3f} {row['speedup_high']:.3f}] {row['difference']}, "
        f"{row['candidate_us']:.3f} us against {row['baseline_us']:.3f}{beside}, "
        f"{row['seconds']:.1f} s"
    )


def spread(values: Sequence[float]) -> float | None:
    """Largest less smallest over the median; None of fewer than two."""
    if len(values) < 2:
        return None
    return (max(values) - min(values)) / statistics.median(values)


def apart(intervals: Sequence[tuple[float, float]]) -> tuple[int, int]:
    """How many pairs of intervals have nothing in common, of how many."""
    pairs = list(itertools.combinations(intervals, 2))
    return sum(a[1] < b[0] or b[1] < a[0] for a, b in pairs), len(pairs)


def summary(name: str, rows: Sequence[Row]) -> Row:
    """All runs of one kernel."""
    found = [r for r in rows if r["kernel"] == name and r.get("speedup") is not None]
    hosts = [r["host_speedup"] for r in found if r["host_speedup"] is not None]
    said = {r["difference"] for r in found}
    pairs_apart, pairs = apart([(r["speedup_low"], r["speedup_high"]) for r in found])
    return {
        "kernel": name,
        "runs": len(found),
        "untimed": sum(r["kernel"] == name and r.get("speedup") is None for r in rows),
        "candidate_us": statistics.median(r["candidate_us"] for r in found) if found else None,
        "candidate_spread": spread([r["candidate_us"] for r in found]),
        "baseline_spread": spread([r["baseline_us"] for r in found]),
        "spread": spread([r["speedup"] for r in found]),
        "host_spread": spread(hosts),
        "pairs_apart": pairs_apart,
        "pairs": pairs,
        "contradicts": {"faster", "slower"} <= said,
    }


def text(found: Row) -> str:
    """One kernel, a line."""
    words = " ".join(
        f"{name} {100 * found[name]:.1f} %" if found[name] is not None else f"{name} -"
        for name in ("spread", "candidate_spread", "baseline_spread", "host_spread")
    )
    us = "-" if found["candidate_us"] is None else f"{found['candidate_us']:.2f} us"
    odd = " CONTRADICTS" if found["contradicts"] else ""
    pairs = f"{found['pairs_apart']} of {found['pairs']} pairs apart"
    return f"{found['kernel']:16} {us}, {found['runs']} runs: {words}, {pairs}{odd}"


def total(found: Sequence[Row]) -> Row:
    """Whether all of it holds."""
    spreads = [one["spread"] for one in found if one["spread"] is not None]
    pairs = sum(one["pairs"] for one in found)
    pairs_apart = sum(one["pairs_apart"] for one in found)
    contradictions = sum(one["contradicts"] for one in found)
    untimed = sum(one["untimed"] for one in found)
    worst = max(spreads, default=None)
    holds = (
        worst is not None
        and worst <= WORST_SPREAD
        and pairs_apart <= MOST_APART * pairs
        and not contradictions
        and not untimed
    )
    return {
        "worst_spread": worst,
        "pairs_apart": pairs_apart,
        "pairs": pairs,
        "contradictions": contradictions,
        "untimed": untimed,
        "holds": holds,
    }


if __name__ == "__main__":
    sys.exit(main())
