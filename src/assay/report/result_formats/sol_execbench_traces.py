"""SOL-ExecBench: its traces, which know REWARD_HACK and INVALID_REFERENCE.

The rule: what is dishonest is a REWARD_HACK, and so is what is suspicious, since the format has no
milder word; the log says which. The format allows no NaN, so errors that Assay does not measure
are left out of `correctness`.
"""

from __future__ import annotations

from typing import Any

from assay.data.verdict import Status
from assay.report.result_formats.result_format import ExportRow
from assay.report.result_formats.trace_lines import COMMON, DROPPED, TraceLines
from assay.report.result_formats.verdict_facts import verdict_facts

_STATUSES = {
    **COMMON,
    Status.DISHONEST: "REWARD_HACK",
    Status.SUSPICIOUS: "REWARD_HACK",
    Status.INVALID_TASK: "INVALID_REFERENCE",
}


class SolExecBenchTraces(TraceLines):
    """`traces.jsonl`."""

    name = "sol_execbench"
    without_answer = (Status.NOT_RUN,)
    statuses = _STATUSES
    lossy = frozenset({Status.SUSPICIOUS, Status.OUT_OF_MEMORY})
    dropped = (
        *DROPPED,
        "max_relative_error and max_absolute_error are left out, and a reader that fills them in "
        "with 0 must not take that for a measurement; shares of the error budget stand in "
        "correctness.extra",
    )

    def correctness(self, row: ExportRow) -> dict[str, Any]:
        """The verdict, in the place for further measures."""
        return {"extra": verdict_facts(row)}
