"""What is worked out while the exam is drawn is what the judge would have worked out."""

from __future__ import annotations

import time

import pytest
import torch

from assay.data.settings import Level
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.prefetch.sweep_prefetch import SweepPrefetch
from assay.exam.weight_scales import Weights
from support.small_exam import make_exam

pytestmark = pytest.mark.usefixtures("two_threads")


def of_the_own_workload() -> tuple[Exam, Exam]:
    """An exam of it alone, and the whole one."""
    whole = make_exam(Level.QUICK)
    own = whole.plan.workloads[:1]
    return make_exam(Level.QUICK, workloads=own), whole


def test_an_exam_that_grew_is_the_exam_of_the_whole_plan() -> None:
    grown, whole = of_the_own_workload()
    for workload in whole.plan.workloads[1:]:
        grown.admit(workload)
    assert grown.plan == whole.plan and grown.instances == whole.instances
    assert grown.main_workloads == whole.main_workloads


def test_truths_of_the_own_workload_and_of_what_is_admitted_are_brought() -> None:
    grown, whole = of_the_own_workload()
    with SweepPrefetch(grown, wanted=True) as prefetch:
        assert torch.get_num_threads() == 1
        prefetch.admit(whole.plan.workloads[1])
        second = grown.key(ContentKey(1))
        ends = time.monotonic() + 60.0
        while second not in grown.known() and time.monotonic() < ends:
            time.sleep(0.01)
            prefetch._receive()
    assert torch.get_num_threads() == 2
    assert {
        grown.key(ContentKey(0)),
        grown.key(ContentKey(0, Draw(number=1), 1), Weights(number=1)),
        second,
    } <= grown.known()
    for key in grown.known():
        for one, other in zip(grown.expectation(*key), whole.expectation(*key), strict=True):
            assert one.name == other.name and torch.allclose(one.truth, other.truth)
            assert one.budget is not None and other.budget is not None
            assert torch.allclose(one.budget, other.budget)


def test_where_it_is_not_wanted_nobody_is_forked() -> None:
    grown, whole = of_the_own_workload()
    with SweepPrefetch(grown, wanted=False) as prefetch:
        prefetch.admit(whole.plan.workloads[1])
        assert torch.get_num_threads() == 2
    assert not grown.known() and len(grown.plan.workloads) == 2


def test_a_judge_that_fails_leaves_nobody_behind() -> None:
    grown, _ = of_the_own_workload()
    with pytest.raises(ValueError, match="ours"), SweepPrefetch(grown, wanted=True) as prefetch:
        helper = prefetch._helper
        raise ValueError("ours")
    assert helper is not None and not helper.is_alive() and torch.get_num_threads() == 2
