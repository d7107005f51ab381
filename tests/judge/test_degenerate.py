"""A task that an answer of no computation passes is remarked, and the verdict stays."""

from __future__ import annotations

from assay.data.observations.observation import NullPassed
from assay.data.verdict import Status
from assay.judge.decide import judge
from support.judge_inputs import case, every_workload


def test_a_null_that_passes_is_remarked() -> None:
    seen = NullPassed(null="zeros everywhere", workloads=14)
    verdict = judge(case(*every_workload(), seen))
    assert verdict.status is Status.ACCEPTED
    (remark,) = verdict.task_remarks
    assert "zeros everywhere" in remark and "14 workloads" in remark


def test_an_ordinary_task_has_no_remark() -> None:
    assert judge(case(*every_workload())).task_remarks == ()
