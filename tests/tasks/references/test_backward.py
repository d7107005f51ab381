"""Backward tasks: derived from declared forward ones, right in order, precision and direction."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from assay.data.task import Task
from assay.data.workload import Direction
from assay.errors import UsageError
from assay.tasks.catalog import resolve, tasks_of
from assay.tasks.references.admission import Admission
from assay.tasks.references.backward import SUFFIX, backward_of
from assay.tasks.references.reference import Reference
from suite_sample import sampled
from support import task_sources as sources

DERIVED = [task for task in tasks_of("native") if task.id.endswith(SUFFIX)]

TWO_RESULTS = """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))
        self.unused = nn.Parameter(torch.ones(3))
    def forward(self, x, index):
        return {"scaled": x * self.gain, "picked": x[index], "index": index}
rows = 8
width = 5
def get_inputs():
    return [torch.randn(rows, width), torch.randint(0, rows, (4,))]
def get_init_inputs():
    return [width]
"""


def test_every_differentiable_task_has_one_and_the_others_none() -> None:
    names = {task.id for task in DERIVED}
    assert {"softmax.backward", "layernorm.backward", "linear_relu.backward"} <= names
    assert "row_argmax.backward" not in names
    assert resolve("gelu.backward").direction is Direction.BACKWARD
    with pytest.raises(UsageError, match=r"unknown task 'row_argmax\.backward'"):
        resolve("row_argmax.backward")


@pytest.mark.parametrize("task", sampled(DERIVED, 4))
def test_gradients_agree_with_float64_and_keep_the_names_of_the_weights(task: Task) -> None:
    reference, forward = Reference(task), Reference(resolve(task.id.removesuffix(SUFFIX)))
    workload = reference.own_workload()
    assert workload.direction is Direction.BACKWARD
    axes = {axis.name: max(axis.low, axis.own // 16) for axis in reference.axes}
    small = workload.model_copy(update={"axes": axes, "own": False})
    inputs, bound = reference.draw(small, 1), reference.bind(axes, 2)
    state = reference.draw_state(bound.module, 3)
    assert list(state) == list(forward.construct(axes, 2).state_dict())
    assert reference.examine(small, inputs) is not Admission.REFUSED
    own, truth = bound(inputs, state, wide=False), bound(inputs, state, wide=True)
    floats = [value for value in inputs if value.is_floating_point()]
    shapes = [tuple(value.shape) for value in (*floats[:-1], *state.values())]
    assert [tuple(made.shape) for made in own.tensors] == shapes
    assert all(made.dtype == torch.float64 for made in truth.tensors)


def test_results_of_several_kinds_and_unused_parameters() -> None:
    reference = Reference(backward_of(sources.task(TWO_RESULTS)))
    x, index, scaled, picked = inputs = reference.draw(reference.own_workload(), 1)
    bound = reference.bind({}, 0)
    state = {"gain": torch.full((5,), 2.0)}
    d, gain, unused = bound(inputs, state, wide=False).tensors
    expected = 2 * scaled
    expected.index_add_(0, index, picked)
    assert torch.allclose(d, expected) and torch.allclose(gain, (x * scaled).sum(0))
    assert torch.equal(unused, torch.zeros(3))


def test_a_foreign_file_has_one_only_where_it_declares_it(tmp_path: Path) -> None:
    silent, loud = tmp_path / "silent.py", tmp_path / "loud.py"
    silent.write_text(sources.HEAD + TWO_RESULTS)
    loud.write_text(sources.HEAD + TWO_RESULTS + "BACKWARD = True\n")
    assert resolve(f"kernelbench:{loud}#loud.backward").direction is Direction.BACKWARD
    with pytest.raises(UsageError, match="BACKWARD = True"):
        resolve(f"kernelbench:{silent}#silent.backward")


@pytest.mark.parametrize("name", ["linear_relu.backward", "attention.backward"])
def test_the_first_draw_is_like_every_other(name: str) -> None:
    reference = Reference(resolve(name))
    drawn = [reference.draw(reference.own_workload(), 3) for _ in range(2)]
    for first, second in zip(*drawn, strict=True):
        assert torch.equal(first, second)


def test_given_gradients_reach_every_output_and_nothing_large_is_imported() -> None:
    """torch's own way would import sympy, which costs each process most of a second."""
    code = (
        "import sys, torch\n"
        "from assay.tasks.catalog import resolve\n"
        "from assay.tasks.references.reference import Reference\n"
        "reference = Reference(resolve('linear_relu.backward'))\n"
        "workload = reference.own_workload()\n"
        "bound = reference.bind(workload.axes, 1)\n"
        "inputs = reference.draw(workload, 2)\n"
        "found = bound(inputs, {}, wide=False).tensors\n"
        "x, gradient = inputs\n"
        "x.requires_grad_(True)\n"
        "made = torch.relu(bound.module.fc(x))\n"
        "assert 'sympy' not in sys.modules\n"
        "wanted = torch.autograd.grad(made, [x, *bound.module.parameters()], gradient)\n"
        "assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
