"""Other shapes are timed in exams of their own, and their calls stay calls of their workload."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest

from assay import evaluate
from assay.data.observations.call import CallSeen
from assay.data.observations.observation import ShapeTimesSeen, TimesSeen
from assay.data.settings import Cache, Level, Settings
from assay.data.verdict import Status
from assay.data.workload import Category
from assay.exam.exam import ContentKey
from assay.exam.workloads.timed_shapes import timed_shapes
from assay.shape_timing import ShapeTiming, _exam_at, _of_shape, _short
from support.judge_inputs import good
from support.small_exam import TASK, make_exam


def _exam_with_shapes() -> Any:
    exam = make_exam(Level.SMOKE)
    for workload in timed_shapes(exam.reference, random.Random(3)):
        exam.admit(workload)
    return exam


def test_a_shape_is_the_own_workload_of_an_exam_with_contents_of_its_own() -> None:
    exam = _exam_with_shapes()
    number, workload = next(
        (n, w) for n, w in enumerate(exam.plan.workloads) if w.category is Category.MEDIUM
    )
    made = _exam_at(exam, number, workload)
    assert made.plan.workloads == (workload,) and made.plan.secret != exam.plan.secret
    (inputs,), (asked,) = (
        made.content(ContentKey(0)).tensors,
        exam.content(ContentKey(number)).tensors,
    )
    assert inputs.shape == asked.shape and not inputs.equal(asked)
    again = _exam_at(exam, number, workload)
    assert again.plan == made.plan  # a replay draws the same


def test_it_is_timed_for_a_short_while_against_the_first_baseline() -> None:
    asked = Settings(level=Level.FULL, baselines=("vendor", "eager"), cache=Cache.BOTH)
    short = _short(asked)
    assert (short.level, short.baselines, short.cache) == (Level.SMOKE, ("vendor",), Cache.COLD)
    assert short.timing and short.timeout_s == asked.timeout_s


def test_times_stand_apart_and_calls_are_of_their_workload() -> None:
    exam = _exam_with_shapes()
    number = len(exam.plan.workloads) - 1
    workload = exam.plan.workloads[number]
    times = _of_shape(TimesSeen(reason="none"), number, workload)
    assert isinstance(times, ShapeTimesSeen) and times.axes == workload.axes
    call = _of_shape(good(workload=0), number, workload)
    assert isinstance(call, CallSeen) and call.workload == number


def test_a_shape_that_was_not_answered_is_not_timed() -> None:
    class Runner:
        def answered(self) -> set[int]:
            return {0}

    class Context:
        exam = _exam_with_shapes()

    nobody = cast(Any, None)
    timing = ShapeTiming(cast(Any, Context), nobody, cast(Any, Runner()), nobody)
    seen = [one for one in timing.time() if isinstance(one, ShapeTimesSeen)]
    assert {one.category for one in seen} <= set(Category) and len(seen) >= 6
    assert all(one.times.reason == "it did not answer this shape" for one in seen)


KERNEL = """
import numba
import numpy as np
import torch
from torch import nn


@numba.njit
def add_up(x, scale, out):
    for row in range(x.shape[0]):
        total = 0.0
        for value in x[row]:
            total += value
        out[row] = total * scale


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        out = torch.empty(x.shape[0])
        add_up(x.detach().contiguous().numpy(), float(self.scale), out.numpy())
        return out
"""


@pytest.mark.exhaustive
def test_every_category_is_timed_end_to_end() -> None:
    verdict = evaluate(TASK, KERNEL, level="smoke", time_shapes=True, track="open")
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.shape_times is not None and len(verdict.shape_times) == len(Category)
    timed = [one for one in verdict.shape_times if one.speedup is not None]
    assert verdict.speedup_cv_n == len(timed)
    assert all(one.reason for one in verdict.shape_times if one.speedup is None)
