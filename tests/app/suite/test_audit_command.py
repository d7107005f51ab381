"""`assay audit`: what it prints, its exit code, and that it goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.audit import AuditRecord, AuditStatus

Captured = pytest.CaptureFixture[str]
_ZERO = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x * 0
rows = 8
def get_inputs():
    return [torch.rand(rows, 16)]
def get_init_inputs():
    return []
"""


@pytest.fixture
def suite(tmp_path: Path) -> str:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "1_zero.py").write_text(_ZERO)
    (folder / "2_exp.py").write_text(_ZERO.replace("x * 0", "torch.exp(x)"))
    return f"kernelbench:{folder}"


def test_the_degenerate_task_is_shown_and_the_sound_one_counted(
    suite: str, capsys: Captured
) -> None:
    assert main(["audit", suite, "--level", "quick"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("1_zero  degenerate  Every workload tried accepts zeros everywhere.")
    assert "2_exp" not in text and "no workload refuses it" in text
    assert text.endswith("1 sound, 1 degenerate of 2\n")


def test_json_has_every_task_and_only_limits_them(suite: str, capsys: Captured) -> None:
    assert main(["audit", suite, "--only", "2_exp", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    record = AuditRecord.model_validate_json(line)
    assert (record.task, record.status) == ("2_exp", AuditStatus.SOUND)


def test_records_are_used_again(suite: str, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out"
    arguments = ["audit", suite, "--level", "quick", "--out", str(out)]
    assert main(arguments) == 1
    first = capsys.readouterr().out
    written = sorted(out.iterdir())
    assert [path.name.split(".")[0] for path in written] == ["1_zero", "2_exp"]
    marked = AuditRecord.model_validate_json(written[1].read_text())
    changed = marked.model_copy(update={"status": AuditStatus.UNUSABLE, "reason": "from disk"})
    written[1].write_text(changed.model_dump_json())
    assert main(arguments) == 1
    second = capsys.readouterr()
    assert "from disk" in second.out and "from disk" not in first
    assert "2 of 2 were read from" in second.err


def test_one_native_task_by_name_and_unknown_names(suite: str, capsys: Captured) -> None:
    assert main(["audit", "gelu", "--level", "quick"]) == 0
    assert capsys.readouterr().out == "1 sound of 1\n"
    assert main(["audit", suite, "--only", "3_log"]) == 2
    assert "1_zero, 2_exp" in capsys.readouterr().err
    assert main(["audit", "no_such_suite"]) == 2


@pytest.mark.exhaustive
def test_several_at_a_time_find_the_same_in_the_same_order(suite: str, capsys: Captured) -> None:
    said = []
    for jobs in ("1", "2"):
        assert main(["audit", suite, "--level", "quick", "--jobs", jobs]) == 1
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
