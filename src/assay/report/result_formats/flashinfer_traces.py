"""FlashInfer-Trace: the traces that FlashInfer-Bench reads.

The rule: the format has no word for a dishonest or suspicious kernel, so it becomes a
RUNTIME_ERROR, which claims nothing about its numbers; the log says what it is. Errors that Assay
does not measure are NaN, which the format writes as a string.
"""

from __future__ import annotations

from typing import Any

from assay.data.verdict import Status
from assay.report.result_formats.result_format import ExportRow
from assay.report.result_formats.trace_lines import COMMON, DROPPED, RUNTIME_ERROR, TraceLines
from assay.report.result_formats.verdict_facts import verdict_facts

_UNKNOWN = "NaN"
_STATUSES = {**COMMON, Status.DISHONEST: RUNTIME_ERROR, Status.SUSPICIOUS: RUNTIME_ERROR}


class FlashInferTraces(TraceLines):
    """`traces.jsonl`."""

    name = "flashinfer_trace"
    statuses = _STATUSES
    lossy = frozenset({Status.DISHONEST, Status.SUSPICIOUS, Status.OUT_OF_MEMORY})
    dropped = (
        *DROPPED,
        "max_relative_error and max_absolute_error are NaN: Assay measures shares of an error "
        "budget, which stand in correctness.extra",
    )

    def correctness(self, row: ExportRow) -> dict[str, Any]:
        """Unknown errors, and the verdict beside them."""
        errors = dict.fromkeys(("max_relative_error", "max_absolute_error"), _UNKNOWN)
        return {**errors, "extra": verdict_facts(row)}
