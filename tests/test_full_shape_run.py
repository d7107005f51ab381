"""A task whose own shape the judge's memory does not hold is asked there all the same."""

from __future__ import annotations

import pytest
import torch

import assay.context as context
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Outcome, OwnWorkload, Status, Verdict
from assay.exam.full_shape.full_shape_exam import Cutting, FullShapeExam
from assay.exam.full_shape.full_shape_plan import FullShapePlan
from assay.exam.full_shape.independent_parts import find_parts
from assay.exam.memory_need import within_memory
from assay.languages.candidate_file import candidate_of_text
from assay.pipeline import evaluate_in_order
from assay.sandbox.host.wall import Wall
from assay.tasks.references.reference import Reference
from assay.timing.stopwatch import Stopwatch
from support.small_exam import STATELESS

LARGE = STATELESS.model_copy(
    update={"source": STATELESS.source.replace("rows = 16", "rows = 512"), "axes": ()}
)
KERNEL = """
import torch
from torch import nn


class ModelNew(nn.Module):
    def forward(self, x):
        y = x.sum(dim=-1)
        {extra}
        return y
"""


@pytest.fixture(autouse=True)
def full_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan that a device would get; a full shape is judged where it was drawn, here the CPU."""

    def plan(self: context.EvaluationContext, reference: Reference) -> FullShapePlan:
        return FullShapePlan(Cutting(find_parts(reference), 100))

    monkeypatch.setattr(context.EvaluationContext, "_full_shape_plan", plan)
    monkeypatch.setattr(
        context, "within_memory", lambda reference, most=None: within_memory(reference, 300_000)
    )


def judged(wall: Wall, extra: str, timing: bool) -> Verdict:
    settings = Settings(level=Level.SMOKE, track=Track.OPEN, timing=timing)
    candidate = candidate_of_text(KERNEL.format(extra=extra))
    made = context.EvaluationContext(wall, LARGE, settings, None)
    try:
        (judgement,) = evaluate_in_order(made, [candidate])
    finally:
        made.close()
    return judgement.verdict


def test_it_is_asked_and_timed_at_its_own_shape(shared_wall: Wall) -> None:
    verdict = judged(shared_wall, "pass", timing=True)
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.own_workload is OwnWorkload.ASKED
    assert verdict.plan is not None and verdict.plan.workloads[0].axes["rows"] < 512
    full = verdict.workloads[-1]
    assert full.axes["rows"] == 512 and full.outcome is Outcome.OK
    assert full.error_budget_used is not None and full.error_budget_used < 1.0
    measured = ("busy", "load hides", "below what the clock resolves")  # it came to the rounds
    assert verdict.timing or any(text in (verdict.timing_reason or "") for text in measured)
    assert any("judged in 6 blocks of rows" in e.text for e in verdict.evidence)


@pytest.mark.parametrize(
    ("extra", "status"),
    [
        ("if len(y) == 512: y[-1] += 1.0", Status.INCORRECT),
        ("if len(y) == 512: raise ValueError('no')", Status.CRASHED),
    ],
)
def test_a_kernel_that_fails_there_alone_is_not_accepted(
    shared_wall: Wall, extra: str, status: Status
) -> None:
    verdict = judged(shared_wall, extra, timing=False)
    assert verdict.status is status, verdict.reason
    assert verdict.own_workload is OwnWorkload.ASKED


LACK = "Tried to allocate 6.00 GiB. GPU 0 has a capacity of which 1.57 GiB is free."


def _lack(*_: object) -> None:
    raise torch.OutOfMemoryError(LACK)


def test_without_memory_to_time_it_what_is_right_stays_known(
    shared_wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Stopwatch, "time", _lack)
    verdict = judged(shared_wall, "pass", timing=True)
    assert verdict.status is Status.ACCEPTED and verdict.timing is None
    assert verdict.timing_reason == "the device had 1.57 GiB free, 6.00 GiB needed"


def test_without_memory_to_judge_it_nobody_is_blamed(
    shared_wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FullShapeExam, "_expected", _lack)
    verdict = judged(shared_wall, "pass", timing=False)
    assert verdict.status is Status.NOT_RUN
    assert verdict.reason == "the device had 1.57 GiB free, 6.00 GiB needed"


def test_without_memory_to_draw_it_the_task_is_asked_at_a_smaller_shape(
    shared_wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FullShapeExam, "_moved", _lack)
    verdict = judged(shared_wall, "pass", timing=False)
    assert verdict.status is Status.ACCEPTED
    assert verdict.own_workload is not OwnWorkload.ASKED
