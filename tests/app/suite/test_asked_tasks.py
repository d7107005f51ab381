"""The tasks that a command is asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.app.suite.asked_tasks import asked_tasks

TASK = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2
def get_inputs():
    return [torch.randn(8, 8)]
def get_init_inputs():
    return []
"""


def test_one_task_is_asked_alone() -> None:
    assert [task.id for task in asked_tasks("softmax")] == ["softmax"]


def test_what_of_a_suite_cannot_be_read_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "1_double.py").write_text(TASK)
    for name in ("2_bad.py", "3_bad.py"):
        (tmp_path / name).write_text("def (")
    suite = f"kernelbench:{tmp_path}"
    assert [task.id for task in asked_tasks(suite)] == ["1_double"]
    said = capsys.readouterr().err
    assert "2_bad.py: it is not Python: invalid syntax (2_bad.py, line 1)" in said
    assert said.startswith(f"assay: 2 of {suite} could not be read") and "all 2\n" in said
