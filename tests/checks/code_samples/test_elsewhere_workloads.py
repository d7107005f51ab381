"""Which shape beside the own one is sampled."""

from __future__ import annotations

import random

from assay.checks.code_samples.elsewhere_workloads import elsewhere_content, elsewhere_workloads
from assay.data.settings import Level
from support.small_exam import make_exam


def test_most_axes_are_odd_and_no_longer_than_the_own() -> None:
    exam = make_exam(Level.STANDARD)
    own, shapes, layouts = exam.plan.workloads[0], set(), set()
    for seed in range(200):
        for one in elsewhere_workloads(exam, set(exam.main_workloads), random.Random(seed)):
            layouts.add(one.layout)
            for name, length in one.axes.items():
                assert own.axes[name] // 2 - 1 <= length <= own.axes[name]
                shapes.add((name, length == own.axes[name], length % 2))
    assert {("rows", False, 1), ("cols", False, 1), ("rows", True, 0)} <= shapes
    assert len(layouts) > 1 and own.layout in layouts


def test_every_axis_is_odd_in_one_of_them() -> None:
    exam = make_exam(Level.STANDARD)
    numbers = set()
    for seed in range(60):
        found = elsewhere_workloads(exam, {0}, random.Random(seed))
        numbers.add(len(found))
        for name in exam.plan.workloads[0].axes:
            assert any(one.axes[name] % 2 for one in found)
    assert numbers == {1, 2}


def test_layouts_it_did_not_answer_are_not_asked() -> None:
    exam = make_exam(Level.STANDARD)
    found = [elsewhere_workloads(exam, {0}, random.Random(seed)) for seed in range(60)]
    assert {one.layout for ones in found for one in ones} == {exam.plan.workloads[0].layout}


def test_the_content_has_that_shape_and_the_own_one_is_not_sampled_twice() -> None:
    exam = make_exam(Level.STANDARD)
    own = exam.plan.workloads[0]
    other = own.model_copy(update={"axes": {"rows": 11, "cols": 23}})
    content = elsewhere_content(exam, other)
    assert content is not None and content.tensors[0].shape == (11, 23)
    assert elsewhere_content(exam, own) is None
