"""A task that is random in training mode is remarked, and the verdict stays."""

from __future__ import annotations

from assay.data.observations.observation import EvalModeSeen
from assay.data.verdict import Status
from assay.judge.decide import judge
from support.judge_inputs import case, every_workload


def test_the_verdict_says_that_only_eval_mode_was_asked() -> None:
    verdict = judge(case(*every_workload(), EvalModeSeen()))
    assert verdict.status is Status.ACCEPTED
    (remark,) = verdict.task_remarks
    assert "eval mode alone" in remark
