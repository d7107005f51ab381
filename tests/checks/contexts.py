"""The context in which a check is asked about an examiner's candidate."""

from __future__ import annotations

from typing import Any, cast

from assay.checks.check import CheckContext
from assay.data.candidate import Candidate, SourceFile
from assay.data.check import CheckStage, Execution
from assay.data.settings import Level, Settings
from assay.worker.host.deadline import Deadline
from assay.worker.host.examiner import Examiner
from sample_records import DEVICE

CANDIDATE = Candidate(name="it", language="torch", sources=(SourceFile(path="kernel.py", text=""),))


def context_of(
    examiner: Examiner,
    level: Level = Level.STANDARD,
    stage: CheckStage = CheckStage.CALLED,
    execution: Execution = Execution.CPU,
) -> CheckContext:
    """After the calls of a compiled kernel, unless said otherwise."""
    nothing = cast(Any, None)
    return CheckContext(
        candidate=CANDIDATE,
        settings=Settings(level=level, timeout_s=20.0),
        device=DEVICE,
        execution=execution,
        wall=nothing,
        cache=None,
        exam=getattr(examiner, "exam", nothing),
        session=getattr(examiner, "session", nothing),
        examiner=examiner,
        report=lambda stage, share: None,
        stage=stage,
        deadline=Deadline.after(20.0),
        seen=(),
    )
