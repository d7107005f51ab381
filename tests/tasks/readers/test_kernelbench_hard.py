"""KernelBench-Hard: shapes as tasks, problem.yaml as tags, `Model` of a solution as the entry."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from tasks.readers.foreign_module import entry_of, instance, module_of

REFERENCE = '''import torch


class Model(torch.nn.Module):
    """Adds a row."""

    def __init__(self, N):
        super().__init__()
        self.row = torch.nn.Parameter(torch.ones(N))

    def forward(self, x):
        return x + self.row


M = 64
N = 32


def get_inputs():
    return [torch.rand(M, N)]


def get_init_inputs():
    return [N]
'''
PROBLEM = """name: 01_add_row
precision: fp32
regime: memory
hardware: [RTX_PRO_6000]
forbidden:
  - "torch.add"
tolerance: {float32: 1.0e-4}
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "problems" / "01_add_row"
    folder.mkdir(parents=True)
    (folder / "reference.py").write_text(REFERENCE)
    (folder / "shapes.py").write_text('SHAPES = [{"M": 8, "N": 16}, {"M": 3, "N": 5}]\n')
    (folder / "problem.yaml").write_text(PROBLEM)
    (folder / "solution.py").write_text(REFERENCE)
    empty = tmp_path / "problems" / "02_nothing"
    empty.mkdir()
    (empty / "problem.yaml").write_text("name: 02_nothing\n")
    return tmp_path


def test_every_shape_is_a_task(place: Path) -> None:
    tasks = tasks_of(f"kernelbench_hard:{place}")
    assert [task.id for task in tasks] == ["01_add_row", "01_add_row@1"]
    assert tasks[0].tags == ("fp32", "memory", "RTX_PRO_6000", "forbids torch.add")
    shapes = [tuple(module_of(task.source).get_inputs()[0].shape) for task in tasks]
    assert shapes == [(8, 16), (3, 5)]
    (left,) = unread_of(f"kernelbench_hard:{place}")
    assert left.where.endswith("02_nothing") and left.why == "it has no reference.py"


def test_a_solution_has_the_entry_of_its_model(place: Path) -> None:
    name = f"kernelbench_hard:{place}#01_add_row"
    task = resolve(name)
    (path,) = candidates_of(name)
    made = instance(task, entry_of(candidate_at(path, task)), "ModelNew")
    assert torch.equal(made(torch.ones(8, 16)), torch.full((8, 16), 2.0))
    assert list(made.state_dict()) == ["row"]


def test_a_broken_problem_is_told(place: Path) -> None:
    (place / "problems" / "02_nothing" / "problem.yaml").write_text("name: [\n")
    (left,) = unread_of(f"kernelbench_hard:{place}")
    assert left.why.startswith("problem.yaml is not YAML")
