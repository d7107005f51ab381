"""Unvalued: a task's reference and inputs made where tensors have no values.

The rule: the caller decides what makes them valueless; here only the task's own code runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import DataDependentOutputException, unset_fake_temporarily

from assay.data.task import Task
from assay.tasks.references.reference_outputs import flatten
from assay.tasks.references.task_source import TaskModule, TaskSource, kept_generators, user_code


@dataclass(frozen=True)
class Unvalued:
    """One instance and its inputs."""

    task: Task
    module: torch.nn.Module
    inputs: list[Any]

    @classmethod
    def made(cls, task: Task, sizes: Mapping[str, int] | None = None) -> Unvalued:
        """Construct it, and draw its inputs, at the task's own sizes unless others are given."""
        source = TaskSource(task).module(dict(sizes or {}))
        with user_code(task.id, "making it"), torch.no_grad(), kept_generators():
            try:
                module = source.build(source.init_call())
            except DataDependentOutputException:  # it asks a tensor for a value
                module = _emptied(source)
            return cls(task, module, source.inputs(0))

    @property
    def given(self) -> list[torch.Tensor]:
        """Inputs: new with every call."""
        given = [value for value in self.inputs if isinstance(value, torch.Tensor)]
        nested = [v for i in self.inputs if isinstance(i, list | tuple) for v in i]
        return given + [value for value in nested if isinstance(value, torch.Tensor)]

    @property
    def kept(self) -> list[torch.Tensor]:
        """Parameters and buffers: the same in call after call."""
        return [*self.module.parameters(), *self.module.buffers()]

    def call(self) -> list[torch.Tensor]:
        """The results."""
        with user_code(self.task.id, "tracing it"), torch.no_grad(), kept_generators():
            return [tensor for _, tensor in flatten(self.module(*self.inputs))]


def _emptied(source: TaskModule) -> torch.nn.Module:
    """The reference made with values, which are then taken away."""
    mode = detect_fake_mode()
    assert mode is not None
    with unset_fake_temporarily():
        module = source.build(source.init_call())
    for part in module.modules():
        tables: list[dict[str, Any]] = [part._parameters, part._buffers]
        for table in tables:
            table.update({n: mode.from_tensor(t) for n, t in table.items() if t is not None})
    return module
