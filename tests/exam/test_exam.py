"""Drawn once, computed once, the same from the same secret."""

from __future__ import annotations

import pytest
import torch

from assay.data.axis import Axis, AxisRole
from assay.data.settings import Level
from assay.data.task import Task
from assay.data.workload import Workload
from assay.errors import TaskError
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.reference_check import check_reference
from assay.exam.weight_scales import SEEDED, Weights
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from support.small_exam import STATELESS, TASK, make_exam

WORKLOADS = (
    Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),
    Workload(axes={"rows": 3, "cols": 7}, dtype="float32"),
)


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.QUICK, TASK, WORKLOADS)


def test_everything_is_made_once(exam: Exam) -> None:
    content_key = ContentKey(1, Draw(number=4))
    assert exam.content(content_key) is exam.content(ContentKey(1, Draw(number=4)))
    assert exam.state(0, Weights(number=2)) is exam.state(0, Weights(number=2))
    weights, same = Weights(number=1), ContentKey(1, Draw(number=4))
    assert exam.expectation(content_key, weights) is exam.expectation(same, weights)


def test_the_same_secret_draws_the_same(exam: Exam) -> None:
    again = make_exam(Level.QUICK, TASK, WORKLOADS)
    for content_key in (
        ContentKey(0),
        ContentKey(1, Draw(number=3)),
        ContentKey(1, Draw(number=3), 2),
    ):
        first, second = exam.content(content_key).inputs[0], again.content(content_key).inputs[0]
        assert torch.equal(first, second)
    assert torch.equal(
        exam.state(0, Weights(number=3))["scale"], again.state(0, Weights(number=3))["scale"]
    )


def test_numbers_and_versions_are_distinct(exam: Exam) -> None:
    drawn = [exam.content(ContentKey(0, Draw(number=n))).inputs[0] for n in range(5)]
    assert all(not torch.equal(a, b) for i, a in enumerate(drawn) for b in drawn[:i])
    scales = [float(exam.state(0, Weights(number=n))["scale"]) for n in range(5)]
    assert len(set(scales)) == 5 and 1.0 not in scales


def test_a_variant_differs_from_its_base_in_a_few_elements(exam: Exam) -> None:
    base = exam.content(ContentKey(0, Draw(number=1))).inputs[0]
    first = exam.content(ContentKey(0, Draw(number=1), 1)).inputs[0]
    second = exam.content(ContentKey(0, Draw(number=1), 2)).inputs[0]
    assert 1 <= int((base != first).sum()) <= 3
    assert 1 <= int((first != second).sum()) <= 3


def test_the_expectation_follows_content_and_weights(exam: Exam) -> None:
    content_key = ContentKey(0, Draw(number=1))
    x = exam.content(content_key).inputs[0].double()
    for version in (Weights(), Weights(number=1)):
        scale = exam.state(0, version)["scale"].double()
        found = exam.expectation(content_key, version)[0].reference
        assert torch.allclose(found.double(), x.sum(-1) * scale, rtol=1e-4, atol=1e-4)


def test_without_weights_every_version_is_one() -> None:
    exam = make_exam(Level.QUICK, STATELESS, WORKLOADS)
    assert exam.state(0, SEEDED) == {}
    assert exam.expectation(ContentKey(0)) is exam.expectation(ContentKey(0), Weights(number=7))


def test_throw_away_content_is_never_asked(exam: Exam) -> None:
    thrown = exam.throw_away_content.inputs[0]
    assert not any(
        torch.equal(exam.content(ContentKey(0, Draw(number=n))).inputs[0], thrown) for n in range(4)
    )
    assert thrown.shape == exam.content(ContentKey(0)).inputs[0].shape


CONFIGURED = """
import torch
from torch import nn

width = 8


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 4)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(5, width)]


def get_init_inputs():
    return [width]
"""


def test_constructor_configurations_are_numbered() -> None:
    axes = (Axis(name="width", own=8, high=64, role=AxisRole.CONFIG),)
    task = Task(id="linear", format="kernelbench", source=CONFIGURED, axes=axes)
    sizes = (8, 12, 8, 12, 16)
    workloads = tuple(Workload(axes={"width": n}, dtype="float32") for n in sizes)
    exam = make_exam(Level.QUICK, task, workloads)
    assert [exam.instance_of(w) for w in range(5)] == [0, 1, 0, 1, 2]
    assert exam.main_workloads == [0, 2]
    assert [spec.args for spec in exam.instances] == [(8,), (12,), (16,)]
    assert len({spec.seed for spec in exam.instances}) == 3
    assert exam.state(1)["linear.weight"].shape == (4, 12)


def test_a_sound_reference_passes(exam: Exam) -> None:
    check_reference(exam)


def test_a_reference_that_does_not_repeat_itself_is_the_tasks_fault() -> None:
    source = TASK.source.replace("x.sum(dim=-1)", "x.sum(dim=-1) + torch.rand(())")
    task = TASK.model_copy(update={"source": source})
    with pytest.raises(TaskError):
        check_reference(make_exam(Level.QUICK, task, WORKLOADS))


def test_the_other_mode_is_an_instance_of_its_own() -> None:
    axes = {"rows": 4, "cols": 8}
    own = Workload(axes=axes, dtype="float32", own=True)
    other = Workload(axes=axes, dtype="float32", training=False)
    exam = make_exam(Level.QUICK, workloads=(own, other))
    assert [exam.instance_of(n) for n in (0, 1)] == [0, 1]
    assert [spec.training for spec in exam.instances] == [True, False]
    assert [exam.bound(n).module.training for n in (0, 1)] == [True, False]
    assert exam.main_workloads == [0]


def test_the_plans_tf32_policy_reaches_every_expectation() -> None:
    task = resolve("matmul")
    own = Reference(task).own_workload().model_copy(update={"axes": {"M": 32, "K": 64, "N": 32}})
    budgets = []
    for tf32 in (False, True):
        exam = make_exam(Level.QUICK, task, (own,))
        exam = Exam(exam.reference, exam.plan.model_copy(update={"tf32": tf32}))
        asked = exam.expectation(ContentKey(0))[0]
        timed = exam.expectation_of(exam.content(ContentKey(0)), Weights(), seed=1)[0]
        assert asked.budget is not None and timed.budget is not None
        budgets.append((float(asked.budget.mean()), float(timed.budget.mean())))
    (strict, strict_timed), (allowing, allowing_timed) = budgets
    assert allowing > 50 * strict and allowing_timed > 50 * strict_timed
