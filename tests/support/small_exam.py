"""A small task and its exam."""

from __future__ import annotations

import random
from functools import cache

from assay.data.axis import Axis, AxisRole
from assay.data.plan import Plan
from assay.data.settings import Level, Settings
from assay.data.task import Task
from assay.data.workload import Workload
from assay.exam.exam import Exam
from assay.exam.secret import Secret
from assay.exam.workloads.workload_sweep import sweep
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn

rows = 16
cols = 32


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x.sum(dim=-1) * self.scale


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
"""
AXES = (
    Axis(name="rows", own=16, high=256, role=AxisRole.BATCH),
    Axis(name="cols", own=32, high=512),
)
TASK = Task(id="scaled_sum", format="kernelbench", source=SOURCE, axes=AXES)
_WEIGHT = "        self.scale = nn.Parameter(torch.ones(()))\n"
_PLAIN = SOURCE.replace(" * self.scale", "").replace(_WEIGHT, "")
STATELESS = TASK.model_copy(update={"source": _PLAIN})


@cache
def swept(task: Task, level: Level) -> tuple[Workload, ...]:
    """Drawn once for all tests of a process: it takes a quarter of a second."""
    return sweep(Reference(task), level, random.Random(1))


def make_exam(
    level: Level, task: Task = TASK, workloads: tuple[Workload, ...] | None = None
) -> Exam:
    """With the workloads of the level's own sweep where none are given."""
    secret = Secret("5e" * 32)
    settings = Settings(level=level, timing=False)
    chosen = workloads or swept(task, level)
    return Exam(Reference(task), Plan.of(settings, secret.hex, chosen))
