"""A workload of every category of shapes that the reference admits."""

from __future__ import annotations

import random

import pytest

from assay.data.workload import Category
from assay.exam.workloads.shape_points import PAST_LARGE
from assay.exam.workloads.timed_shapes import timed_shapes
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference


@pytest.mark.parametrize("name", ["softmax", "matmul", "linear_relu"])
def test_every_category_has_a_shape_of_its_kind(name: str) -> None:
    reference = Reference(resolve(name))
    drawn = {w.category: w.axes for w in timed_shapes(reference, random.Random(5))}
    assert list(drawn) == list(Category)
    assert all(size <= 16 for size in drawn[Category.TINY].values())
    assert all(size & (size - 1) == 0 for size in drawn[Category.POWER_OF_TWO].values())
    assert all(max(reference.input_elements(axes)) <= PAST_LARGE for axes in drawn.values())
    assert len({tuple(axes.values()) for axes in drawn.values()}) == len(Category)


def test_the_random_numbers_decide() -> None:
    reference = Reference(resolve("softmax"))
    one, two, other = (list(timed_shapes(reference, random.Random(n))) for n in (1, 1, 2))
    assert one == two != other
