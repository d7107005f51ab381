"""The context in which a check is asked about an script runner's candidate."""

from __future__ import annotations

from typing import Any, cast

from assay.checks.check_contract import CheckContext
from assay.data.candidate import Candidate, SourceFile
from assay.data.check import CheckStage, Execution
from assay.data.settings import Level, Settings
from assay.exam.script_runner import ScriptRunner
from assay.sandbox.host.deadline import Deadline
from sample_records import DEVICE

CANDIDATE = Candidate(name="it", language="torch", sources=(SourceFile(path="kernel.py", text=""),))


def context_of(
    script_runner: ScriptRunner,
    level: Level = Level.STANDARD,
    stage: CheckStage = CheckStage.CALLED,
    execution: Execution = Execution.CPU,
) -> CheckContext:
    """After the calls of a compiled kernel, unless said otherwise."""
    nothing = cast(Any, None)
    return CheckContext(
        candidate=CANDIDATE,
        settings=Settings(level=level, timeout_s=60.0),
        device=DEVICE,
        execution=execution,
        wall=nothing,
        cache=None,
        exam=getattr(script_runner, "exam", nothing),
        session=getattr(script_runner, "session", nothing),
        script_runner=script_runner,
        report=lambda stage, share: None,
        stage=stage,
        deadline=Deadline.after(60.0),
        seen=(),
    )
