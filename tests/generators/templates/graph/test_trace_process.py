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


@pytest.mark.exhaustive
def test_an_operation_that_checks_and_raises_is_named(tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(CHECKED)
    (tmp_path / "entry").write_text("Model")
    module = "assay.generators.templates.graph.trace_process"
    subprocess.run([sys.executable, "-m", module, str(tmp_path)], check=True)
    reason = json.loads((tmp_path / "answer.json").read_text())["reason"]
    assert "side effects are not covered" in reason
    assert "_linalg_check_errors" in reason
