"""TritonBench's folders: sources that passed each stage, and tables of times.

TritonBench keeps no file of results. Its first two stages leave the sources that passed in a
folder, and the third divides the times of `golden_results/OP.json` by those of the candidate's
table; a row is `{input_size, ms, GB/s, TFLOPS}`.

The rule: both tables are of this run, so that a speedup compares one machine with itself. Times
stand there for accepted candidates only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.data.run import Run
from assay.data.verdict import Limits
from assay.report.result_formats.result_format import Export, ExportRow, ResultFormat, file_name
from assay.report.result_formats.standing_candidates import (
    ANOTHER,
    standing_candidates,
    whole_source,
)
from assay.report.result_formats.verdict_facts import own_axes
from assay.scores.graded import Graded, stated_timing

DROPPED = (
    "statuses, reasons, evidence, coverage and intervals have no place: a source that did not pass "
    "a stage is missing from its folder",
    "a table has one row, the task's own shape; GB/s and TFLOPS are null where they are not known",
)


class TritonBenchTables(ResultFormat):
    """`call_acc`, `exe_acc`, `perf_results` and `golden_results`."""

    name = "tritonbench"

    def export(self, run: Run, rows: Sequence[ExportRow]) -> Export:
        """Four folders for each generator."""
        files: dict[str, str] = {}
        written = 0
        for standing in standing_candidates(run, rows):
            for one, row in standing.rows:
                written += 1
                for path, text in _files(one, row).items():
                    files[f"{standing.folder}{path}"] = text
        left = Counter({ANOTHER: len(rows) - written}) if len(rows) > written else Counter[str]()
        return Export(files, written, left, dropped=DROPPED)


def _files(one: Graded, row: ExportRow) -> dict[str, str]:
    name = file_name(row.entry.task.id)
    found = {f"call_acc/{name}.py": whole_source(row)} if one.called else {}
    if not row.accepted:
        return found
    found[f"exe_acc/{name}.py"] = whole_source(row)
    if timing := stated_timing(row.verdict):
        limits = row.verdict.limits
        scale = timing.candidate_us / timing.baseline_us if timing.baseline_us else None
        found[f"perf_results/{name}.json"] = _table(row, timing.candidate_us, limits, 1.0)
        found[f"golden_results/{name}.json"] = _table(row, timing.baseline_us, limits, scale)
    return found


def _table(row: ExportRow, time_us: float, limits: Limits | None, scale: float | None) -> str:
    """One row; the same bytes and products in another time are another rate."""
    rates: dict[str, float | None] = {"GB/s": None, "TFLOPS": None}
    if limits is not None and scale is not None:
        if limits.bytes_per_s is not None:
            rates["GB/s"] = limits.bytes_per_s / 1e9 * scale
        if limits.flops_per_s is not None:
            rates["TFLOPS"] = limits.flops_per_s / 1e12 * scale
    line: dict[str, Any] = {"input_size": own_axes(row.verdict), "ms": time_us / 1e3, **rates}
    return json.dumps([line], indent=2, allow_nan=False) + "\n"
