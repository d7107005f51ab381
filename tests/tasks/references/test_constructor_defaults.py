"""Floats that a constructor takes by default are given other values."""

from __future__ import annotations

import torch

from assay.data.task import Task
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn

rows = 8
features = 16


class Model(nn.Module):
    def __init__(self, features, slope=0.25, eps=1e-5, zero=0.0, affine=True, steps=3):
        super().__init__()
        self.slope, self.eps = slope, eps

    def forward(self, x):
        return torch.where(x > 0, x, self.slope * x) + self.eps


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features, 0.25]
"""
TASK = Task(id="leaky", format="kernelbench", source=SOURCE)


def test_only_floats_that_the_task_leaves_alone_are_varied() -> None:
    assert Reference(TASK).default_variants == {"eps_variant": "default:eps"}


def test_a_version_reaches_the_constructor_and_is_another_instance() -> None:
    reference = Reference(TASK)
    own = reference.own_axes
    other = {**own, "eps_variant": 2}
    assert reference.init_call(own).kwargs == {}
    assert reference.init_call(other).kwargs == {"eps": 1e-5 * 1.5}
    assert reference.config(own) != reference.config(other)
    x = torch.zeros(8, 16)
    plain, varied = (reference.bind(axes, 1)([x], {}, wide=False) for axes in (own, other))
    assert not torch.equal(plain.tensors[0], varied.tensors[0])


def test_a_default_that_changes_a_shape_or_is_refused_is_left_alone() -> None:
    kept = "self.slope, self.eps = slope, eps"
    sized = f"{kept}; self.w = nn.Parameter(torch.ones(int(eps * 4e5)))"
    strict = f"assert eps == 1e-5; {kept}"
    for body in (sized, strict):
        task = TASK.model_copy(update={"source": SOURCE.replace(kept, body)})
        assert Reference(task).default_variants == {}
