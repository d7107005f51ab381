"""KernelBench's `eval_results.json`: a list of samples for each problem of a level.

A sample is `{sample_id, compiled, correctness, metadata, runtime, runtime_stats}`, times in
milliseconds. KernelBench writes a runtime of -1 for what it did not time because it was wrong.

The rule: one file for each generator and level, as KernelBench has one for each run and level. The
whole verdict stands in `metadata`. An accepted kernel that was not timed has the runtime null.
"""

from __future__ import annotations

import json
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from assay.data.run import Run
from assay.data.verdict import Status
from assay.report.result_formats.result_format import Export, ExportRow, ResultFormat, folders
from assay.report.result_formats.verdict_facts import verdict_facts
from assay.scores.graded import graded, stated_timing

_NO_RUNTIME = -1.0  # KernelBench's own word for a kernel that it did not time
_NOT_NUMBERED = "the task's name does not begin with a KernelBench number"
_ISSUE = {
    Status.BUILD_FAILED: "compilation_error",
    Status.CRASHED: "runtime_error",
    Status.TIMED_OUT: "runtime_error",
    Status.OUT_OF_MEMORY: "runtime_error",
    Status.INCORRECT: "correctness_issue",
    Status.DISHONEST: "correctness_issue",
    Status.SUSPICIOUS: "correctness_issue",
}
DROPPED = (
    "runtime is -1 for every kernel that is not accepted, as KernelBench writes it; "
    "of an accepted one that was not timed it is null",
    "runtime is Assay's median, not a mean; the mean of the raw times stands in runtime_stats",
)


class KernelBenchResults(ResultFormat):
    """`eval_results.json`."""

    name = "kernelbench"

    def export(self, run: Run, rows: Sequence[ExportRow]) -> Export:
        """One file, or one for each generator and level."""
        found: dict[tuple[str, int], dict[int, list[ExportRow]]] = defaultdict(dict)
        left: Counter[str] = Counter()
        for row in rows:
            problem = problem_of(row.entry.task.id)
            if problem is None:
                left[_NOT_NUMBERED] += 1
                continue
            generator = graded(run.id, row.entry, row.verdict).generator
            place = generator, level_of(row.entry.task.origin)
            found[place].setdefault(problem, []).append(row)
        by_generator = folders(generator for generator, _ in found)
        levels = {level for _, level in found}
        files = {}
        for (generator, level), problems in sorted(found.items()):
            inner = f"level_{level}/" if len(levels) > 1 else ""
            text = json.dumps(_results(problems), indent=2, allow_nan=False) + "\n"
            files[f"{by_generator[generator]}{inner}eval_results.json"] = text
        return Export(files, len(rows) - left.total(), left, dropped=DROPPED)


def problem_of(task: str) -> int | None:
    """The number in front: `23_Softmax` is 23."""
    number = re.match(r"(\d+)(?:_|$)", task.rpartition("/")[2])
    return int(number[1]) if number else None


def level_of(origin: str) -> int:
    """The level of the folder that the task was read from; 0 where it does not say."""
    levels = re.findall(r"level_?(\d+)", origin)
    return int(levels[-1]) if levels else 0


def _results(problems: dict[int, list[ExportRow]]) -> dict[str, list[dict[str, Any]]]:
    return {
        str(problem): [_sample(number, row) for number, row in _numbered(some)]
        for problem, some in sorted(problems.items())
    }


def _numbered(rows: list[ExportRow]) -> list[tuple[int, ExportRow]]:
    """The samples' own numbers where each has another one; else in the order they were made."""
    own = [row.entry.candidate.provenance.sample for row in rows]
    known = [number for number in own if number is not None]
    if len(set(known)) == len(rows):
        return sorted(zip(known, rows, strict=True), key=lambda pair: pair[0])
    return list(enumerate(sorted(rows, key=_order)))


def _order(row: ExportRow) -> tuple[int, int, int]:
    made = row.entry.candidate.provenance
    return made.sample or 0, made.round or 0, row.entry.number


def _sample(number: int, row: ExportRow) -> dict[str, Any]:
    verdict = row.verdict
    timing = stated_timing(verdict)
    device = verdict.environment.device
    metadata: dict[str, Any] = {"hardware": device.name, "device": device.kind}
    if verdict.status in _ISSUE:
        metadata[_ISSUE[verdict.status]] = verdict.reason
    runtime: float | None = _NO_RUNTIME
    if row.accepted:
        runtime = timing.candidate_us / 1e3 if timing else None
    return {
        "sample_id": number,
        "compiled": verdict.status is not Status.BUILD_FAILED,
        "correctness": row.accepted,
        "metadata": metadata | {"assay": verdict_facts(row)},
        "runtime": runtime,
        "runtime_stats": _stats(row) if row.accepted else {},
    }


def _stats(row: ExportRow) -> dict[str, Any]:
    """Of the raw times; empty where the record holds none."""
    times = [sample / 1e3 for sample in row.samples_us]
    if not times:
        return {}
    device = row.verdict.environment.device
    return {
        "mean": statistics.fmean(times),
        "std": statistics.stdev(times) if len(times) > 1 else None,
        "min": min(times),
        "max": max(times),
        "num_trials": len(times),
        "hardware": device.name,
        "device": device.kind,
    }
