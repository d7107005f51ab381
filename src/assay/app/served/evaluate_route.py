"""EvaluateRoute: a request in the names of KernelGYM becomes a verdict in the same names.

The rule: `correctness` is true for an accepted candidate alone, and only such a one has a speedup.
What KernelGYM has no word for is in `metadata`.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from assay.data.candidate import Candidate
from assay.data.evidence import EvidenceKind, Severity
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from assay.languages.candidate_file import candidate_of_text
from assay.scores.rewards import REWARDS, earned
from assay.tasks.catalog import adapted, resolve
from assay.tasks.readers.kernelbench import task_of_text

_NAME = re.compile(r"[\w.-]{1,120}")
_DECOYS = (EvidenceKind.DECOY, EvidenceKind.NO_KERNEL)
_OURS = (Status.NOT_RUN, Status.INVALID_TASK)


class EvaluateRequest(BaseModel):
    """What a client sends; fields of KernelGYM that say nothing here are left unread."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kernel_code: str = Field(min_length=1)
    task_id: str = ""  # the client's own name; that of a native task where no code is sent
    reference_code: str = ""
    entry_point: str = "Model"
    timeout: float | None = Field(default=None, gt=0)  # seconds
    uuid: str | None = None

    def task(self, allow_references: bool) -> Task:
        """A native task by its name, or the code of a reference where that is allowed."""
        if not self.reference_code.strip():
            if not _NAME.fullmatch(self.task_id) or self.task_id.endswith(".py"):
                raise UsageError("task_id is the name of a native task where no code is sent")
            return resolve(f"native:#{self.task_id}")
        if not allow_references:
            raise UsageError(
                "reference_code is not taken: start with assay serve --allow-references"
            )
        if self.entry_point != "Model":
            raise UsageError(f"entry_point is Model, not {self.entry_point!r}")
        return task_of_text(self.reference_code)

    def candidate(self, task: Task) -> Candidate:
        """The kernel as a candidate of the task."""
        return adapted(candidate_of_text(self.kernel_code), task)


class EvaluateAnswer(BaseModel):
    """What a client gets back. Runtimes are milliseconds of one call."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    task_id: str
    uuid: str | None
    status: str  # "completed", or "failed" where the task or Assay is at fault
    compiled: bool
    correctness: bool
    decoy_kernel: bool
    kernel_runtime: float | None
    reference_runtime: float | None
    speedup: float | None
    error_code: str | None  # the status of the verdict where it is not accepted
    error_message: str | None
    metadata: dict[str, Any]


def answer(request: EvaluateRequest, verdict: Verdict) -> EvaluateAnswer:
    """The verdict in KernelGYM's names."""
    good = earned(verdict)
    timing = verdict.timing[0] if good and verdict.timing else None
    ours = verdict.status in _OURS
    return EvaluateAnswer(
        task_id=request.task_id or verdict.task,
        uuid=request.uuid,
        status="failed" if ours else "completed",
        compiled=not ours and verdict.status is not Status.BUILD_FAILED,
        correctness=good,
        decoy_kernel=any(
            one.kind in _DECOYS and one.severity is Severity.CONVICTS for one in verdict.evidence
        ),
        kernel_runtime=timing.candidate_us / 1000 if timing else None,
        reference_runtime=timing.baseline_us / 1000 if timing else None,
        speedup=timing.speedup if timing else None,
        error_code=None if good else verdict.status.value,
        error_message=None if good else verdict.reason,
        metadata=_metadata(verdict),
    )


def _metadata(verdict: Verdict) -> dict[str, Any]:
    names = {
        "task", "candidate_id", "device", "level", "track", "status", "correct", "honest", "reason",
        "evidence", "coverage", "timing", "timing_reason", "limits", "own_share", "elapsed_s",
    }  # fmt: skip
    rewards = {name: one(verdict) for name, one in REWARDS.items()}
    return {"verdict": verdict.model_dump(mode="json", include=names), "rewards": rewards}
