"""Operators are those of the suite, and each text computes what its plain version does."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from assay.tasks.catalog import tasks_of
from assay.tasks.synthesis.chain_operators import PAIRWISE, POINTWISE, REDUCTIONS, ROW_MAPS

VALUES = [-2.5, -1.0, -0.25, 0.0, 0.5, 1.75, 3.0]
OTHER = [0.5, -1.5, 2.0, 0.25, -0.5, 1.0, -3.0]


def computed(text: str) -> list[float]:
    x = torch.tensor([VALUES], dtype=torch.float64)
    y = torch.tensor([OTHER], dtype=torch.float64)
    made = eval(text.format(x="x", y="y"), {"torch": torch, "F": F, "x": x, "y": y})
    return [float(one) for one in made.flatten()]


def test_each_is_asked_alone_by_a_native_task() -> None:
    known = {task.id for task in tasks_of("native")}
    operators = [*POINTWISE, *PAIRWISE, *REDUCTIONS, *ROW_MAPS]
    assert [one.native for one in operators if one.native not in known] == []


@pytest.mark.parametrize("step", POINTWISE, ids=lambda step: step.native)
def test_pointwise(step) -> None:
    assert computed(step.text) == pytest.approx([step.of(x) for x in VALUES], abs=1e-9)


@pytest.mark.parametrize("step", PAIRWISE, ids=lambda step: step.native)
def test_pairwise(step) -> None:
    plain = [step.of(x, y) for x, y in zip(VALUES, OTHER, strict=True)]
    assert computed(step.text) == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize("step", REDUCTIONS, ids=lambda step: step.native)
def test_reductions(step) -> None:
    assert computed(step.text) == pytest.approx([step.of(VALUES)], abs=1e-9)


@pytest.mark.parametrize("step", ROW_MAPS, ids=lambda step: step.native)
def test_row_maps(step) -> None:
    assert computed(step.text) == pytest.approx(step.of(VALUES), abs=1e-9)
