"""`assay limits`: one task, a suite, another size, and what cannot be traced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.limits import TaskLimits

Captured = pytest.CaptureFixture[str]
FIELDS = set(TaskLimits.model_fields)
ASKS_FOR_A_VALUE = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = float(torch.linspace(0, 1, 3)[1].item())
        self.weight = nn.Parameter(torch.randn(8))

    def forward(self, x):
        return x * self.weight * self.rate

def get_inputs():
    return [torch.randn(4, 8)]

def get_init_inputs():
    return []
"""


def records(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_task_as_text_and_as_json(capsys: Captured) -> None:
    assert main(["limits", "softmax"]) == 0
    assert "H200" in capsys.readouterr().out
    assert main(["limits", "softmax", "--json"]) == 0
    (found,) = records(capsys.readouterr().out)
    limits = TaskLimits.model_validate({k: v for k, v in found.items() if k in FIELDS})
    assert limits.bytes_read == limits.bytes_written == 512 * 2048 * 4
    assert found["bound"] == "memory" and found["sol_us"] == limits.memory_us


@pytest.mark.exhaustive
def test_every_native_task_has_a_floor(capsys: Captured) -> None:
    assert main(["limits", "native", "--json"]) == 0
    found = records(capsys.readouterr().out)
    assert len(found) >= 30 and len({one["task"] for one in found}) == len(found)


def test_another_size_and_no_tensor_units(capsys: Captured) -> None:
    sizes = [f"{name}=4096" for name in ("M", "K", "N")]
    at = [word for size in sizes for word in ("--at", size)]
    assert main(["limits", "matmul", *at, "--json", "--no-tf32"]) == 0
    (found,) = records(capsys.readouterr().out)
    assert found["flops"] == {"float32": 2 * 4096**3}
    assert found["units"] == {"float32": "fp32"} and found["bound"] == "arithmetic"


@pytest.mark.parametrize(
    "arguments",
    [["softmax", "--board", "abacus"], ["softmax", "--at", "x=1"], ["native", "--at", "M=1"]],
)
def test_mistakes_are_one_line(arguments: list[str], capsys: Captured) -> None:
    assert main(["limits", *arguments]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_task_that_asks_a_tensor_for_its_value(tmp_path: Path, capsys: Captured) -> None:
    file = tmp_path / "task.py"
    file.write_text(ASKS_FOR_A_VALUE)
    assert main(["limits", str(file), "--json"]) == 0
    (found,) = records(capsys.readouterr().out)
    assert found["bytes_read"] == (4 * 8 + 8) * 4


def test_a_task_that_cannot_be_traced_is_said_and_the_code_is_one(
    tmp_path: Path, capsys: Captured
) -> None:
    file = tmp_path / "task.py"
    file.write_text(ASKS_FOR_A_VALUE.replace("x * self.weight", "x[x.sum().item() > 0]"))
    assert main(["limits", str(file)]) == 1
    assert "task" in capsys.readouterr().err
