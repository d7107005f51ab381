from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.generators.templates.graph.trace_process import first_sentence

CHECKED = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.cholesky(x @ x.transpose(-1, -2) + torch.eye(4))

def get_inputs():
    return [torch.randn(4, 4)]

def get_init_inputs():
    return []
"""


def test_a_line_that_only_announces_the_next_is_given_with_it() -> None:
    announced = "backend='trace' raised:\n\nTypeError: no such size\n\nmore"
    assert first_sentence(announced) == "backend='trace' raised: TypeError: no such size"
    assert first_sentence("one line\nanother") == "one line"
    assert first_sentence("") == ""


SCALED = """
import torch

class Model(torch.nn.Module):
    def __init__(self, groups, eps=1e-3):
        super().__init__()
        self.groups, self.eps, self.unread = groups, eps, 0.25

    def forward(self, x):
        y = x.view(x.shape[0], self.groups, -1)
        return y * torch.rsqrt(y.square().mean(-1, keepdim=True) + self.eps)

def get_inputs():
    return [torch.randn(4, 12)]

def get_init_inputs():
    return [3]
"""


def test_a_constant_of_the_constructor_is_a_condition(tmp_path: Path) -> None:
    """A number that became part of the graph; sizes stay open, and what is not read is none."""
    (tmp_path / "task.py").write_text(SCALED)
    (tmp_path / "entry").write_text("Model")
    module = "assay.generators.templates.graph.trace_process"
    subprocess.run([sys.executable, "-m", module, str(tmp_path)], check=True)
    found = json.loads((tmp_path / "answer.json").read_text())
    assert [one for one in found["conditions"] if "self" in one] == ["self.eps == 0.001"]
    assert "L['self'].groups" in dict(found["sizes"]).values()


@pytest.mark.exhaustive
def test_an_operation_that_checks_and_raises_is_named(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(CHECKED)
    (tmp_path / "entry").write_text("Model")
    module = "assay.generators.templates.graph.trace_process"
    subprocess.run([sys.executable, "-m", module, str(tmp_path)], check=True)
    reason = json.loads((tmp_path / "answer.json").read_text())["reason"]
    assert "side effects are not covered" in reason
    assert "_linalg_check_errors" in reason
