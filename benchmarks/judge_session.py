"""A long session of one Judge: evaluations from eight threads, and what they leave behind.

    python benchmarks/judge_session.py --count 1000
    python benchmarks/judge_session.py --count 40 --device cuda --timing --jobs 4

Prints one JSON line: processes, descriptors, threads and resident memory (of this process, and of
all its descendants) at 10, 50 and 100 % of the evaluations and after closing; the median seconds
that an evaluation took beyond its stages; statuses against labels.

The rule: candidates carry the label they deserve, so a verdict that is not theirs is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay import Judge

THREADS = 8
TASKS = ("row_sum", "gelu", "softmax", "rmsnorm")
EXAMPLES = Path(__file__).parents[1] / "examples"
EXPECTED = {"honest": {"accepted"}, "wrong": {"incorrect"}, "cheat": {"dishonest", "suspicious"}}


def candidates(device: str) -> list[tuple[str, Path]]:
    """On a CPU those that run as they are, on a GPU those in Triton."""
    folders = {task: EXAMPLES / task for task in TASKS}
    found = [(task, path) for task, folder in folders.items() for path in sorted(folder.iterdir())]
    sources = [(task, path) for task, path in found if path.suffix in (".py", ".cpp")]
    triton = device != "cpu"
    return [(task, path) for task, path in sources if ("triton" in path.read_text()) is triton]


def descendants(pid: int) -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def resident_mb(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def state() -> dict[str, int]:
    """Of this process and what it started."""
    children = descendants(os.getpid())
    return {
        "processes": len(children),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "resident_mb": resident_mb(os.getpid()),
        "largest_child_mb": max(map(resident_mb, children), default=0),
    }


class Session:
    """The evaluations of one run."""

    def __init__(self, judge: Judge, count: int, device: str) -> None:
        self._judge = judge
        self._given = candidates(device)
        self._lock = threading.Lock()
        self._marks = {max(1, round(count * share)): share for share in (0.1, 0.5, 1.0)}
        self.statuses: Counter[str] = Counter()
        self.beyond_s: list[float] = []
        self.states: dict[str, dict[str, int]] = {}

    def evaluate(self, number: int) -> None:
        """One candidate, with whatever others are being judged."""
        task, path = self._given[number % len(self._given)]
        began_s = time.monotonic()
        future = self._judge.submit(task, path)
        verdict = future.result().verdict
        took_s = time.monotonic() - began_s
        label = path.name.split("__")[0]
        right = "as labelled" if verdict.status.value in EXPECTED[label] else "NOT AS LABELLED"
        with self._lock:
            self.statuses[f"{label} {verdict.status.value}: {right}"] += 1
            self.beyond_s.append(took_s - sum(verdict.stages.values()))
            share = self._marks.get(sum(self.statuses.values()))
            if share is not None:
                self.states[f"{share:.0%}"] = found = state()
                print(f"{share:.0%}", found, file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--timing", action="store_true")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    before = state()
    began_s = time.monotonic()
    with Judge(asked.device, asked.jobs, level=asked.level, timing=asked.timing) as judge:
        session = Session(judge, asked.count, asked.device)
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(session.evaluate, range(asked.count)))
        counts = judge.counts()
    took_s = time.monotonic() - began_s
    print(
        json.dumps(
            {
                "count": asked.count,
                "seconds": round(took_s, 1),
                "per_hour": round(3600 * asked.count / took_s),
                "before": before,
                **session.states,
                "after": state(),
                "waiting_and_overhead_s": round(statistics.median(session.beyond_s), 3),
                "processes_started": counts.processes,
                "exams_drawn": counts.exams,
                "statuses": dict(session.statuses),
            }
        )
    )


if __name__ == "__main__":
    main()
