"""A long session of one Judge: evaluations from eight threads, and what they leave behind.

    python benchmarks/judge_session.py --count 1000
    python benchmarks/judge_session.py --count 40 --device cuda --timing --jobs 4
    python benchmarks/judge_session.py --count 1000 --tiny --level smoke --stop-after-s 480

Prints one JSON line: processes, descriptors, threads and resident memory (of this process, and of
all its descendants) at 10, 50 and 100 % of the evaluations and after closing, and how much each
grew from the first of these on; the median seconds that an evaluation took beyond its stages;
statuses against labels. `--out FILE` keeps the same in a file from the first tenth on. `--tiny`
asks honest and wrong candidates of tasks of some thousand elements: cheats show in longer calls,
and a missing epsilon on values that `smoke` does not draw.

The rule: candidates carry the label they deserve, so a verdict that is not theirs is counted, and
so is an evaluation that ended without any.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from machine_watch import environment

from assay import Judge
from assay.data.axis import AxisRole
from assay.data.task import Task
from assay.errors import AssayError
from assay.tasks.catalog import resolve

THREADS = 8
SMALL = {AxisRole.BATCH: 16, AxisRole.SIZE: 256}  # axes of a tiny task, at most
NOT_TINY = ("cheat__", "eps_missing")
FIRST_SHARE = 0.1
TASKS = ("row_sum", "gelu", "softmax", "rmsnorm")
EXAMPLES = Path(__file__).parents[1] / "examples"
EXPECTED = {"honest": {"accepted"}, "wrong": {"incorrect"}, "cheat": {"dishonest", "suspicious"}}


def tiny(task: Task) -> Task:
    """The same in small sizes: those of its axes, in its text too."""
    source, axes = task.source, []
    for axis in task.axes:
        own = min(axis.own, SMALL.get(axis.role, axis.own))
        high = axis.high if own == axis.own else 4 * own
        axes.append(axis.model_copy(update={"own": own, "high": high}))
        source = re.sub(rf"^{axis.name} = \d+$", f"{axis.name} = {own}", source, flags=re.MULTILINE)
    return task.model_copy(update={"source": source, "axes": tuple(axes)})


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

    def __init__(self, judge: Judge, asked: argparse.Namespace) -> None:
        self._judge, self._asked = judge, asked
        self._given: list[tuple[Task, Path]] = [
            (tiny(resolve(task)) if asked.tiny else resolve(task), path)
            for task, path in candidates(asked.device)
            if not (asked.tiny and any(name in path.name for name in NOT_TINY))
        ]
        self._lock = threading.Lock()
        count = asked.count
        self._marks = {max(1, round(count * share)): share for share in (FIRST_SHARE, 0.5, 1.0)}
        self._before = state()
        self._began_s = time.monotonic()
        self.statuses: Counter[str] = Counter()
        self.not_as_labelled: Counter[str] = Counter()
        self.beyond_s: list[float] = []
        self.took_s: list[float] = []
        self.states: dict[str, dict[str, int]] = {}

    def evaluate(self, number: int) -> None:
        """One candidate, with whatever others are being judged; none once the time is up."""
        began_s = time.monotonic()
        if began_s > self._began_s + self._asked.stop_after_s:
            return
        task, path = self._given[number % len(self._given)]
        label, beyond_s = path.name.split("__")[0], 0.0
        try:
            verdict = self._judge.submit(task, path).result().verdict
            status, reason = verdict.status.value, verdict.reason
            beyond_s = time.monotonic() - began_s - sum(verdict.stages.values())
        except AssayError as error:
            status, reason = "no verdict", f"{type(error).__name__}: {error}"
        right = status in EXPECTED[label]
        with self._lock:
            self.statuses[f"{label} {status}: {'' if right else 'NOT '}as labelled"] += 1
            if not right:
                self.not_as_labelled[f"{task.id} {path.name} {status}: {reason}"] += 1
            self.beyond_s.append(beyond_s)
            self.took_s.append(time.monotonic() - began_s)
            share = self._marks.get(self.done)
            if share is not None:
                self.note(f"{share:.0%}")

    @property
    def done(self) -> int:
        """Evaluations so far."""
        return sum(self.statuses.values())

    def note(self, moment: str) -> None:
        """What is there at a moment, and the file with all that is known by then."""
        self.states[moment] = found = state()
        print(moment, found, file=sys.stderr, flush=True)
        if self._asked.out is not None:
            self._asked.out.write_text(json.dumps(self.result(), indent=1) + "\n")

    def result(self) -> dict[str, Any]:
        """All that is known so far."""
        took_s, counts = time.monotonic() - self._began_s, self._judge.counts()
        shown = [one for name, one in self.states.items() if name != "after"]
        return {
            "environment": environment(),
            "count": self._asked.count,
            "done": self.done,
            "level": self._asked.level,
            "tiny": self._asked.tiny,
            "seconds": round(took_s, 1),
            "per_hour": round(3600 * self.done / took_s),
            "before": self._before,
            **self.states,
            "grown": {name: shown[-1][name] - shown[0][name] for name in shown[0]},
            "waiting_and_overhead_s": round(statistics.median(self.beyond_s), 3),
            "evaluation_s": round(statistics.median(self.took_s), 3),
            "processes_started": counts.processes,
            "exams_drawn": counts.exams,
            "statuses": dict(self.statuses),
            "not_as_labelled": dict(self.not_as_labelled),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--timing", action="store_true")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true", help="tasks of some thousand elements")
    parser.add_argument("--stop-after-s", type=float, default=float("inf"), help="begin no more")
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    with Judge(asked.device, asked.jobs, level=asked.level, timing=asked.timing) as judge:
        session = Session(judge, asked)
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(session.evaluate, range(asked.count)))
        session.note("at the end")
    session.note("after")
    print(json.dumps(session.result()))


if __name__ == "__main__":
    main()
