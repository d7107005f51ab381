"""What a verdict says, as plain values and as one line, for formats with room for it.

The rule: the status comes first, so that no reader takes a refused kernel for an accepted one.
"""

from __future__ import annotations

from typing import Any

from assay.data.verdict import Verdict
from assay.report.result_formats.result_format import ExportRow
from assay.scores.graded import stated_timing


def verdict_facts(row: ExportRow) -> dict[str, Any]:
    """Everything that a reader of another format's file may want of the verdict."""
    verdict, made = row.verdict, row.entry.candidate.provenance
    timing = stated_timing(verdict)
    speed = {"baseline", "speedup", "speedup_low", "speedup_high", "cache", "method"}
    return {
        "status": verdict.status.value,
        "correct": verdict.correct.value,
        "honest": verdict.honest.value,
        "reason": verdict.reason,
        "evidence": [one.model_dump(mode="json") for one in verdict.evidence],
        "coverage": verdict.coverage.model_dump(mode="json") if verdict.coverage else None,
        "error_budget_used": largest_error(verdict),
        "timing": timing.model_dump(mode="json", include=speed) if timing else None,
        "timing_reason": verdict.timing_reason,
        "task_remarks": list(verdict.task_remarks),
        "own_workload": verdict.own_workload.value,
        "level": verdict.level.value,
        "track": verdict.track.value,
        "candidate": row.entry.candidate.name,
        "candidate_id": row.entry.candidate.id,
        "sample": made.sample,
        "round": made.round,
        "assay": verdict.environment.assay,
    }


def verdict_line(verdict: Verdict) -> str:
    """The status, the reason, the coverage and the speedup, in one line."""
    said = [f"{verdict.status.value}: {' '.join(verdict.reason.split())}"]
    if verdict.coverage is not None:
        said.append(f"answered {verdict.coverage.answered} of {verdict.coverage.asked} workloads")
    if timing := stated_timing(verdict):
        interval = f"[{timing.speedup_low:.3g} {timing.speedup_high:.3g}]"
        said.append(f"{timing.speedup:.3g}x {timing.baseline} {interval}")
    elif verdict.timing_reason:
        said.append(f"not timed: {verdict.timing_reason.removeprefix('not timed: ')}")
    return "; ".join(said)


def largest_error(verdict: Verdict) -> float | None:
    """The largest share of its error budget that a workload used; None where none is known."""
    known = [row.error_budget_used for row in verdict.workloads]
    return max((used for used in known if used is not None), default=None)


def own_axes(verdict: Verdict) -> dict[str, int]:
    """The sizes of the task's own workload, which is asked first; empty where none was asked."""
    return dict(verdict.workloads[0].axes) if verdict.workloads else {}
