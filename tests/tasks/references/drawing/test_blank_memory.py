"""Memory without values holds zeros in the inputs of a task."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from assay.data.task import Task
from assay.tasks.references.drawing.blank_memory import BlankMemory
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x, kept):
        return x + kept


def get_inputs():
    return [torch.randn(64, 512), torch.empty(64, 512)]


def get_init_inputs():
    return []
"""


def left_behind(count: int) -> None:
    """Memory of this size that the allocator hands out next, full of NaN."""
    for held in [torch.full((count,), float("nan")) for _ in range(8)]:
        del held


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.empty(64),
        lambda: torch.empty((8, 8)),
        lambda: torch.empty(64, dtype=torch.int8),
        lambda: torch.empty(64, dtype=torch.float8_e4m3fn),
        lambda: torch.empty_like(torch.ones(64)),
        lambda: torch.ones(64).new_empty(64),
        lambda: torch.empty_strided((8, 4), (8, 1)),
        lambda: torch.ones(64).new_empty_strided((8, 4), (8, 1)),
        lambda: torch.empty_permuted((8, 8), (1, 0)),
    ],
)
def test_memory_without_values_holds_zeros(make: Callable[[], torch.Tensor]) -> None:
    left_behind(64)
    with BlankMemory():
        made = make()
    assert not made.float().any()


def test_what_has_values_keeps_them() -> None:
    with BlankMemory():
        assert torch.empty(3).fill_(2.0).tolist() == [2.0, 2.0, 2.0]
        assert torch.ones_like(torch.empty(2)).tolist() == [1.0, 1.0]


def test_of_a_size_without_memory_only_the_shape_is_made() -> None:
    with BlankMemory():
        assert torch.empty(1 << 40, device="meta").shape == (1 << 40,)


def test_inputs_of_a_task_that_leaves_values_out_are_the_same_in_every_draw() -> None:
    reference = Reference(Task(id="kept", format="kernelbench", source=SOURCE))
    left_behind(64 * 512)
    _, kept = reference.draw(reference.own_workload(), 1)
    assert not kept.any()
