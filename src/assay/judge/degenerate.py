"""Degenerate: remarks on a task that an answer of no computation passes.

The rule: they say what a verdict on the task is worth. They change neither status nor answers.
"""

from __future__ import annotations

from assay.data.observations.observation import NullPassed
from assay.judge.judge_input import JudgeInput


def remarks(case: JudgeInput) -> tuple[str, ...]:
    """One sentence for each null answer that passed on every workload."""
    return tuple(
        f"degenerate task: {seen.null} is right on all {seen.workloads} workloads it was tried on, "
        "so being right proves little"
        for seen in case.seen(NullPassed)
    )
