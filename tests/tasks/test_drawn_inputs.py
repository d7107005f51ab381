"""How inputs are drawn is read from the source, for every native task."""

from __future__ import annotations

from assay.data.task import Task
from assay.tasks.catalog import resolve, tasks_of
from assay.tasks.drawn_inputs import GRADIENTS, DrawnInput, drawn_inputs

_SOURCE = """
import torch
raise RuntimeError("it ran")
class Model(torch.nn.Module):
    def forward(self, a, b):
        return a + b
def get_inputs():
    a = torch.rand(4)
    return [a, torch.randn(4)]
def get_init_inputs():
    return []
"""


def test_names_stand_for_what_was_assigned_to_them() -> None:
    task = Task(id="t", format="kernelbench", source=_SOURCE)
    assert drawn_inputs(task) == (
        DrawnInput("a", "torch.rand(4)"),
        DrawnInput("b", "torch.randn(4)"),
    )


def test_a_backward_task_is_given_gradients_last() -> None:
    assert [one.name for one in drawn_inputs(resolve("matmul.backward"))] == ["a", "b", GRADIENTS]


def test_every_native_task_says_how_its_inputs_are_drawn() -> None:
    for task in tasks_of("native"):
        drawn = drawn_inputs(task)
        assert drawn and not any(one.name.startswith("argument") for one in drawn), task.id
