"""Inputs lie where the judge draws them, whatever device a task names."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
import torch

from assay.data.settings import Level
from assay.data.task import Task
from assay.exam.workloads.workload_sweep import sweep
from assay.tasks.references.drawing.device_left_out import DeviceLeftOut
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 4)

    def forward(self, x, y):
        return self.linear(x) * y


def get_inputs():
    return [torch.randn(6, 8).cuda(), torch.rand(6, 4, device="cuda:0")]


def get_init_inputs():
    return []
"""


@pytest.mark.parametrize(
    "made",
    [
        lambda: torch.ones(3).cuda(),
        lambda: torch.ones(3).to("cuda"),
        lambda: torch.ones(3).to(device="cuda:1"),
        lambda: torch.ones(3).to(torch.device("cuda"), torch.float32),
        lambda: torch.ones(3, device=torch.device("cuda")),
        lambda: torch.tensor([1.0, 1.0, 1.0], device="cuda"),
        lambda: torch.ones_like(torch.zeros(3), device="cuda"),
    ],
)
def test_a_gpu_that_is_named_is_left_out(made: Callable[[], torch.Tensor]) -> None:
    with DeviceLeftOut():
        found = made()
    assert found.device.type == "cpu" and found.tolist() == [1.0, 1.0, 1.0]


def test_other_moves_stay() -> None:
    with DeviceLeftOut():
        assert torch.ones(3).to("cuda", torch.float64).dtype is torch.float64
        assert torch.ones(3).to(torch.int64).dtype is torch.int64
        assert torch.ones(3).to("meta").is_meta
    with torch.device("meta"), DeviceLeftOut():
        assert torch.ones(3, device="cuda").is_meta


def test_a_task_that_names_a_gpu_is_drawn_here() -> None:
    reference = Reference(Task(id="named", format="kernelbench", source=SOURCE))
    for workload in sweep(reference, Level.SMOKE, random.Random(3)):
        for value in reference.draw(workload, 3):
            assert value.device.type == "cpu"
