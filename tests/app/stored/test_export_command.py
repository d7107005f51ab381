"""`assay export`: files where they were asked for, and a summary that hides nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.verdict import Status
from graded_samples import stored


@pytest.fixture
def run(tmp_path: Path) -> str:
    rows = [
        ("1_Gelu", Status.ACCEPTED, 2.0, 1.0),
        ("2_Sum", Status.DISHONEST, None, 0.5),
        ("3_Max", Status.NOT_RUN, None, 0.0),
    ]
    return stored(tmp_path / "run", rows)


def test_a_file_where_a_file_is_named(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "there" / "mine.json"
    assert main(["export", run, "--format", "kernelbench", "-o", str(out), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["entries"], said["written"], said["files"]) == (3, 2, [str(out)])
    assert sum(said["left_out"].values()) == 1 and said["dropped"]
    found = json.loads(out.read_text())
    assert found["1"][0]["correctness"] and not found["2"][0]["correctness"]


def test_a_folder_where_there_are_several(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["export", run, "--format", "kernelbench_x", "-o", str(out)]) == 0
    assert sorted(path.name for path in out.iterdir()) == ["metrics.json", "summary.json"]
    text = capsys.readouterr().out
    assert "2 of 3 entries as kernelbench_x" in text and "left out: 1 (not run" in text
    file = out / "metrics.json"
    assert main(["export", run, "--format", "kernelbench_x", "-o", str(file)]) == 2
    assert "-o FOLDER" in capsys.readouterr().err


def test_mistakes_are_told_in_a_line(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", run, "--format", "none", "-o", str(tmp_path / "x")]) == 2
    assert "unknown export 'none'; known: kernelbench, flashinfer_trace" in capsys.readouterr().err
    bare = stored(tmp_path / "bare", [("softmax", Status.ACCEPTED, 2.0, 1.0)])
    assert main(["export", bare, "--format", "kernelbench", "-o", str(tmp_path / "x")]) == 2
    assert "does not begin with a KernelBench number" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
