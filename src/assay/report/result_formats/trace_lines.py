"""Traces: one JSON line for each solution and workload, as FlashInfer-Trace and SOL-ExecBench have.

A line is `{definition, workload, solution, evaluation}`; an evaluation has a status of a closed
list, and PASSED has to come with a time.

The rule: one line for each verdict, about the task's own workload. The workloads that Assay drew
beside it are in the status and in the log, not in lines of their own.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.data.evidence import EvidenceKind, Severity
from assay.data.run import Run
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.report.result_formats.result_format import Export, ExportRow, ResultFormat
from assay.report.result_formats.verdict_facts import own_axes, verdict_line
from assay.scores.graded import stated_timing

PASSED, NUMERICAL, RUNTIME_ERROR = "PASSED", "INCORRECT_NUMERICAL", "RUNTIME_ERROR"
COMMON = {
    Status.ACCEPTED: PASSED,
    Status.BUILD_FAILED: "COMPILE_ERROR",
    Status.CRASHED: RUNTIME_ERROR,
    Status.OUT_OF_MEMORY: RUNTIME_ERROR,
    Status.TIMED_OUT: "TIMEOUT",
    Status.INCORRECT: NUMERICAL,
}
_WRONG = {
    EvidenceKind.WRONG_SHAPE: "INCORRECT_SHAPE",
    EvidenceKind.WRONG_COUNT: "INCORRECT_SHAPE",
    EvidenceKind.WRONG_DTYPE: "INCORRECT_DTYPE",
    EvidenceKind.WRONG_TYPE: "INCORRECT_DTYPE",
    EvidenceKind.RAISED: RUNTIME_ERROR,
    EvidenceKind.UNSUPPORTED: RUNTIME_ERROR,
}
_UNTIMED = "accepted but not timed: the format has no PASSED without a time"
_WORKLOAD = "workload:"  # in front of the workload's own id, among the tags of a task
DROPPED = (
    "workloads that Assay drew beside the task's own have no lines of their own",
    "workload.inputs is empty: the judge drew the inputs",
    "timestamp is that of the run",
)


class TraceLines(ResultFormat):
    """What both formats share; a subclass names its statuses and its measure of error."""

    statuses: ClassVar[Mapping[Status, str]]
    lossy: ClassVar[frozenset[Status]]  # statuses for which the format has no word of its own
    dropped: ClassVar[tuple[str, ...]] = DROPPED

    def export(self, run: Run, rows: Sequence[ExportRow]) -> Export:
        """One file of lines."""
        when = datetime.fromtimestamp(run.started_at, UTC).isoformat()
        lines, left, renamed = [], Counter[str](), Counter[str]()
        for row in rows:
            if row.accepted and stated_timing(row.verdict) is None:
                left[_UNTIMED] += 1
                continue
            status = self._status(row.verdict)
            if row.verdict.status in self.lossy:
                renamed[f"{row.verdict.status.value} as {status}"] += 1
            lines.append(json.dumps(self._trace(row, status, when), allow_nan=False) + "\n")
        files = {"traces.jsonl": "".join(lines)} if lines else {}
        return Export(files, len(lines), left, renamed, self.dropped)

    @abstractmethod
    def correctness(self, row: ExportRow) -> dict[str, Any]:
        """The measures of error that stand beside a result that was compared."""

    def _status(self, verdict: Verdict) -> str:
        """That of a wrong answer by its heaviest finding."""
        if verdict.status is not Status.INCORRECT:
            return self.statuses[verdict.status]
        convicting = [one for one in verdict.evidence if one.severity is Severity.CONVICTS]
        return _WRONG.get(convicting[0].kind, NUMERICAL) if convicting else NUMERICAL

    def _trace(self, row: ExportRow, status: str, when: str) -> dict[str, Any]:
        task, verdict = row.entry.task, row.verdict
        compared = status in (PASSED, NUMERICAL)
        return {
            "definition": task.id.partition("@")[0],
            "workload": {"uuid": workload_id(task), "axes": own_axes(verdict), "inputs": {}},
            "solution": row.entry.candidate.name,
            "evaluation": {
                "status": status,
                "environment": _environment(verdict),
                "timestamp": when,
                "log": _log(verdict),
                "correctness": self.correctness(row) if compared else None,
                "performance": _performance(verdict) if status == PASSED else None,
            },
        }


def workload_id(task: Task) -> str:
    """The id that a tag `workload:ID` gives it, else the hash of the task."""
    named = [tag.removeprefix(_WORKLOAD) for tag in task.tags if tag.startswith(_WORKLOAD)]
    return named[0] if named else task.content_id


def _environment(verdict: Verdict) -> dict[str, Any]:
    where = verdict.environment
    libraries = {"torch": where.torch, "python": where.python, "assay": where.assay}
    if where.device.driver:
        libraries["driver"] = where.device.driver
    return {"hardware": where.device.name or where.device.kind, "libs": libraries}


def _log(verdict: Verdict) -> str:
    """The verdict in a line, then a line for each finding."""
    found = (
        f"{one.kind.value} ({one.severity.value}) {one.where}: {one.text}"
        for one in verdict.evidence
    )
    return "\n".join([verdict_line(verdict), *found])


def _performance(verdict: Verdict) -> dict[str, float] | None:
    timing = stated_timing(verdict)
    if timing is None:
        return None
    return {
        "latency_ms": timing.candidate_us / 1e3,
        "reference_latency_ms": timing.baseline_us / 1e3,
        "speedup_factor": timing.speedup,
    }
