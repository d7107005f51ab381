"""KernelBench-X's `metrics.json`, one row a task, and `summary.json` over them.

A row says whether the call, the result and the timing are good, and holds "N/A" for what is not
known. The denominator of the summary is the number of files that were submitted.

The rule: `exe_ok` means accepted. The speedup is over this run's first baseline on this device, not
over stored times of another.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from assay.data.run import Run
from assay.data.task import Task
from assay.report.result_formats.result_format import Export, ExportRow, ResultFormat
from assay.report.result_formats.standing_candidates import (
    ANOTHER,
    standing_candidates,
    whole_source,
)
from assay.report.result_formats.verdict_facts import own_axes, verdict_line
from assay.scores.code.code_measures import code_measures
from assay.scores.graded import Graded, graded_task

_UNKNOWN = "N/A"
DROPPED = (
    "error holds the status, the reason and the coverage of what is not accepted; the evidence and "
    "the interval of a speedup have no place",
    "runtime_ms is the time at the task's own shape, not a sum over a sweep of sizes",
)


class KernelBenchXMetrics(ResultFormat):
    """`metrics.json` and `summary.json`."""

    name = "kernelbench_x"

    def export(self, run: Run, rows: Sequence[ExportRow]) -> Export:
        """Two files for each generator."""
        files, written = {}, 0
        for standing in standing_candidates(run, rows):
            metrics = {file_of(row.entry.task): _metrics(one, row) for one, row in standing.rows}
            summary = _summary(standing.generator, standing.rows)
            for name, value in (("metrics", metrics), ("summary", summary)):
                text = json.dumps(value, indent=2, allow_nan=False) + "\n"
                files[f"{standing.folder}{name}.json"] = text
            written += len(metrics)
        left = Counter({ANOTHER: len(rows) - written}) if len(rows) > written else Counter[str]()
        return Export(files, written, left, dropped=DROPPED)


def file_of(task: Task) -> str:
    """`Category/name.py`: by the folder that the task was read from, else by its category."""
    place = PurePosixPath(task.origin)
    if place.stem == task.id and place.parent.name:
        return f"{place.parent.name}/{place.name}"
    name = task.id.rpartition("/")[2]
    return f"{graded_task(task).category}/{name}.py"


def _metrics(one: Graded, row: ExportRow) -> dict[str, Any]:
    limits, timed = row.verdict.limits, row.accepted and one.speedup is not None
    moved = limits.bytes_per_s if limits else None
    done = limits.flops_per_s if limits else None
    index = code_measures(row.entry.candidate, row.accepted).maintainability
    known = {
        "runtime_ms": one.candidate_us / 1e3 if one.candidate_us is not None else None,
        "gbs": None if moved is None else moved / 1e9,
        "tflops": None if done is None else done / 1e12,
        "speedup": one.speedup,
    }
    figures = {
        name: value if timed and value is not None else _UNKNOWN for name, value in known.items()
    }
    size = {"input_size": own_axes(row.verdict), "ms": known["runtime_ms"]}
    rates = {"GB/s": known["gbs"], "TFLOPS": known["tflops"]}
    return {
        "file": file_of(row.entry.task),
        "call_ok": one.called,
        "exe_ok": row.accepted,
        "perf_ok": timed,
        "dtype": row.verdict.workloads[0].dtype if row.verdict.workloads else "",
        **figures,
        "maintainability": _UNKNOWN if index is None else index,
        "code_quality": {} if index is None else {"maintainability_index": index},
        "performance": [{**size, **rates}] if timed else [],
        "error": "" if row.accepted else verdict_line(row.verdict),
        "code": whole_source(row),
    }


def _summary(method: str, rows: Sequence[tuple[Graded, ExportRow]]) -> dict[str, Any]:
    """Speedups are null where nothing was timed."""
    total, called = len(rows), sum(one.called for one, _ in rows)
    right = [one for one, row in rows if row.accepted]
    timed = [(one, one.speedup) for one in right if one.speedup is not None]
    spent = sum(one.candidate_us or 0.0 for one, _ in timed)
    base = sum(one.baseline_us or 0.0 for one, _ in timed)
    overall = base / spent if spent > 0 else None
    mean = sum(speed for _, speed in timed) / len(timed) if timed else None
    counts = {"call": called, "exe": len(right), "perf": len(timed)}
    rates = {
        key: value
        for name, count in counts.items()
        for key, value in ((f"{name}_pass", count), (f"{name}_rate", round(100 * count / total, 1)))
    }
    return {
        "method": method,
        "total": total,
        **rates,
        "avg_speedup": overall,
        "avg_speedup_global": overall,
        "avg_speedup_per_task": mean,
    }
