"""robust-kbench: the product of configurations, both directions, and bare CUDA candidates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from assay.data.workload import Direction
from assay.errors import UsageError
from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from tasks.readers.foreign_module import entry_of, instance, module_of

MODEL = '''
class Model(nn.Module):
    """Scales rows."""

    def __init__(self, width: int = 8, method: str = "ones"):
        super(Model, self).__init__()
        self.weight = nn.Parameter(torch.ones(width) if method == "ones" else torch.rand(width))

    def forward(self, x, fn=forward_fn):
        return fn(x, self.weight)


def get_inputs(batch: int = 4, width: int = 8):
    return [torch.randn(batch, width)]


input_names = ["x"]
'''
FORWARD = f"""import torch
import torch.nn as nn


def secret_scale(x):
    return x


def forward_fn(x, weight):
    return secret_scale(x) * weight

{MODEL}"""
BACKWARD = FORWARD.replace(
    "def secret_scale",
    """class AutogradFunction(torch.autograd.Function):
    backward_fn = None

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return AutogradFunction.backward_fn(grad_output, x, weight)


def secret_scale""",
)
CONFIG = {
    "single_input_configs": [{"batch": 4}],
    "single_init_configs": [{"method": "ones"}],
    "single_shared_configs": [{"width": 8}],
    "multi_input_configs": [{"batch": 4}, {"batch": 2}],
    "multi_init_configs": [{"method": "ones"}],
    "multi_shared_configs": [{"width": 8}, {"width": 16}],
}
CUDA = "#include <torch/extension.h>\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "rows"
    folder.mkdir()
    for direction, text in (("forward", FORWARD), ("backward", BACKWARD)):
        (folder / f"func_{direction}.py").write_text(text)
        (folder / f"config_{direction}.json").write_text(json.dumps(CONFIG))
    (folder / "filter_results.json").write_text('{"filter_output_range": true, "other": false}')
    (folder / "forward.cu").write_text(CUDA)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "func_forward.py").write_text(FORWARD)
    (broken / "config_forward.json").write_text("{}")
    return tmp_path


def test_cases_are_the_product_each_once(place: Path) -> None:
    tasks = {task.id: task for task in tasks_of(f"robust_kbench:{place}")}
    cases = ["rows", *(f"rows@{n}" for n in (1, 2, 3))]
    assert list(tasks) == [*cases, *(case.replace("rows", "rows.backward") for case in cases)]
    shapes = [tuple(module_of(tasks[case].source).get_inputs()[0].shape) for case in cases]
    assert shapes == [(4, 8), (4, 16), (2, 8), (2, 16)]
    assert tasks["rows"].tags == ("forward", "its own filter: filter_output_range")
    assert tasks["rows.backward"].direction is Direction.BACKWARD
    (left,) = unread_of(f"robust_kbench:{place}")
    assert "is no list of configurations" in left.why


def test_a_python_candidate_is_handed_to_the_module(place: Path, tmp_path: Path) -> None:
    task = resolve(f"robust_kbench:{place}#rows")
    own = tmp_path / "own.py"
    own.write_text("def forward(x, weight):\n    return x * weight + 1\n")
    candidate = candidate_at(own, task)
    assert "secret_scale" not in candidate.main.text  # the reference stays with the judge
    made = instance(task, entry_of(candidate), "ModelNew")
    x = torch.randn(4, 8)
    assert torch.equal(made(x), x + 1)


def test_a_backward_candidate_gives_the_gradients(place: Path, tmp_path: Path) -> None:
    task = resolve(f"robust_kbench:{place}#rows.backward")
    own = tmp_path / "own.py"
    own.write_text("def backward(g, x, weight):\n    return g * weight, (g * x).sum(0)\n")
    candidate = candidate_at(own, task)
    reference = module_of(task.source)
    given = reference.get_inputs()
    expected = instance(task, reference, task.entry)(*given)
    found = instance(task, entry_of(candidate), "ModelNew")(*given)
    assert len(found) == len(expected) == 2
    assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))


def test_a_cuda_file_is_compiled_with_the_formats_flags(place: Path) -> None:
    name = f"robust_kbench:{place}#rows"
    (path,) = candidates_of(name)
    candidate = candidate_at(path, resolve(name))
    assert candidate.language == "cuda" and candidate.sources[1].text == CUDA
    compile(candidate.main.text, "entry.py", "exec")
    assert "--use_fast_math" in candidate.main.text
    assert "forward = _extension.forward" in candidate.main.text


def test_an_unknown_task_lists_some(place: Path) -> None:
    with pytest.raises(UsageError, match="it has rows, rows@1"):
        resolve(f"robust_kbench:{place}#columns")
