"""Integer inputs hold the ends of their range, so that no shape is allowed by luck."""

from __future__ import annotations

import random

import pytest
import torch

from assay.data.settings import Level
from assay.data.task import Task
from assay.exam.workloads.workload_sweep import sweep
from assay.tasks.references.drawing.extremes import Extremes
from assay.tasks.references.reference import Reference

FEW_LABELS = """
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, y):
        return nn.functional.cross_entropy(x, y, reduction="none")


def get_inputs():
    return [torch.randn(6, 20) * 2 - 1, LABELS]


def get_init_inputs():
    return []
"""


def test_both_ends_are_there() -> None:
    with Extremes():
        for made in (
            torch.randint(7, (3,)),
            torch.randint(0, 7, (3,)),
            torch.randint(low=0, high=7, size=(3,)),
            torch.randint(0, high=7, size=(3,)),
        ):
            assert made[0] == 6 and made[-1] == 0
        assert torch.randint(3, 4, (1,)).item() == 3
        assert torch.randint(3, 4, (0,)).numel() == 0


@pytest.mark.parametrize(
    ("labels", "smallest"), [("torch.randint(0, 20, (6,))", 1), ("torch.randint(11, (6,))", 11)]
)
def test_classes_never_fall_below_the_labels(labels: str, smallest: int) -> None:
    """Where the range ends at the number of classes both move; where it does not, it limits."""
    source = FEW_LABELS.replace("LABELS", labels)
    reference = Reference(Task(id="few", format="kernelbench", source=source))
    classes = next(axis for axis in reference.axes if axis.own == 20)
    assert classes.low >= smallest and (classes.low < 11 or smallest == 11)
    for workload in sweep(reference, Level.QUICK, random.Random(3)):
        bound = reference.bind(workload.axes, 1)
        for seed in range(4):
            bound(reference.draw(workload, seed), bound.module.state_dict(), wide=False)
