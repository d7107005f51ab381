from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.workbench.models.model_answer import ModelAnswer, ModelFailure, ModelRequest
from assay.workbench.models.model_process import examined, main

MODEL = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Linear(16, 16)

    def forward(self, x):
        if x.sum() > 1e9:  # a question about values: it cannot be traced
            return x
        return torch.relu(self.up(x))

def get_inputs():
    return [torch.randn(8, 16)]

def get_init_inputs():
    return []
"""


@pytest.fixture(autouse=True)
def _kept_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))


def request_of(folder: Path, training: bool = False) -> ModelRequest:
    (folder / "m.py").write_text(MODEL)
    return ModelRequest(
        path=str(folder / "m.py"),
        entry="Model",
        device="cpu",
        accelerated=False,
        training=training,
        seconds=0.01,
        profiled_forwards=2,
    )


def test_a_model_that_cannot_be_traced_is_profiled_by_operation(tmp_path: Path) -> None:
    answer = examined(request_of(tmp_path))
    assert "Error" in answer.untraced
    assert answer.forward is None
    relu = next(one for one in answer.groups if one.operations == ("aten::relu",))
    assert (relu.calls, relu.inputs[0].shape, relu.inputs[0].dtype) == (1, (8, 16), "float32")
    assert relu.task_text == ""
    assert "not traced" in relu.task_reason


def test_a_training_step_has_its_backward_too(tmp_path: Path) -> None:
    answer = examined(request_of(tmp_path, training=True))
    names = {one.operations[0] for one in answer.groups}
    assert any("threshold_backward" in name for name in names)


def test_what_the_model_raises_is_the_answer(tmp_path: Path) -> None:
    request = request_of(tmp_path)
    (tmp_path / "m.py").write_text("raise SystemExit('no weights here')")
    (tmp_path / "request.json").write_text(request.model_dump_json())
    assert main(tmp_path) == 0
    failure = ModelFailure.model_validate_json((tmp_path / "answer.json").read_text())
    assert "no weights here" in failure.reason
    with pytest.raises(ValueError):
        ModelAnswer.model_validate_json((tmp_path / "answer.json").read_text())
