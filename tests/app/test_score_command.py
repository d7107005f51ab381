"""`assay score` from a stored run to figures."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.scoring.score import ScoreSheet
from assay.data.verdict import Status
from graded_samples import stored

ROWS = [
    ("a", Status.ACCEPTED, 2.0, 0.5),
    ("b", Status.ACCEPTED, 0.5, 1.0),
    ("c", Status.DISHONEST, 9.0, 1.0),
    ("d", Status.INCORRECT, None, 1.0),
]


@pytest.fixture
def run(tmp_path: Path) -> str:
    return stored(tmp_path / "run", ROWS)


def test_a_stored_run_is_scored(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", run, "--json"]) == 0
    sheet = ScoreSheet.model_validate_json(capsys.readouterr().out)
    found = {(s.name, s.weighting.value): s.value for s in sheet.scores}
    assert (sheet.generator, sheet.tasks, sheet.entries) == ("G", 4, 4)
    assert sheet.statuses == {"accepted": 2, "dishonest": 1, "incorrect": 1}
    assert found["kernelbench.fast_0", "published"] == 0.5
    assert found["kernelbench.fast_0", "coverage"] == 0.375
    assert found["kernelbench.fast_1", "published"] == 0.25
    assert found["kernelbench.speedup", "published"] == pytest.approx(1.0)
    assert found["kernelgenbench.dollars_per_success", "published"] == pytest.approx(1.0)
    assert found["kernelgenbench.tokens_per_success", "published"] == pytest.approx(200)


def test_the_table_prints_denominators_and_reasons(
    run: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", run, "--family", "kernelbench", "--family", "kerneleval"]) == 0
    text = capsys.readouterr().out
    assert "G on Sample CPU: 4 candidates of 4 tasks" in text
    assert "accepted 2, dishonest 1, incorrect 1" in text
    assert "2 of 4 tasks" in text
    assert "--time-shapes" in text


def test_comma_separated_values(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", run, "--csv", "--family", "kernelbench"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    first = next(row for row in rows if row["name"] == "kernelbench.fast_0")
    assert (first["generator"], first["value"], first["tasks"]) == ("G", "0.5", "4")


def test_an_unknown_family_lists_the_known(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", run, "--family", "nobody"]) == 2
    assert "kernelbench_x" in capsys.readouterr().err
    assert main(["score", run, "--json", "--csv"]) == 2


def test_several_runs_are_several_sheets(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = stored(tmp_path / "other", [("e", Status.ACCEPTED, 1.0, 1.0)], generator="H")
    assert main(["score", run, other, "--json", "--family", "kernelbench"]) == 0
    sheets = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["generator"], one["tasks"], one["not_attempted"]) for one in sheets] == [
        ("G", 5, 1),
        ("H", 5, 4),
    ]


def test_a_task_that_a_null_answer_passes_is_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remarks = {"b": ("degenerate task: zeros are right on all 9 workloads",)}
    run = stored(tmp_path / "run", ROWS, remarks=remarks)
    sheets = []
    for flags in ([], ["--keep-degenerate"]):
        assert main(["score", run, "--json", "--family", "kernelbench", *flags]) == 0
        sheets.append(ScoreSheet.model_validate_json(capsys.readouterr().out))
    usual, kept = sheets
    assert (usual.tasks, usual.entries, kept.tasks, kept.entries) == (3, 3, 4, 4)
    assert sum(usual.left_out.values()) == 1 and kept.left_out == {}
    assert all(score.tasks == 3 for score in usual.scores)
    first = next(s for s in usual.scores if s.name == "kernelbench.fast_0")
    assert first.denominator == "3 tasks" and first.value == pytest.approx(1 / 3)
    assert main(["score", run, "--family", "kernelbench"]) == 0
    assert "left out: 1 tasks (degenerate" in capsys.readouterr().out
