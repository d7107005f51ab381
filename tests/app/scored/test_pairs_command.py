"""`assay pairs` from stored runs to files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from assay.app.main import main
from assay.app.scored.score_flags import ShapeName
from assay.data.scoring.pairs import PairSummary, TrainingPair
from assay.data.verdict import Status
from assay.scores.pairs.pair_shapes import PairShape
from graded_samples import stored

ROWS = [
    ("fixed", Status.INCORRECT, None, 1.0),
    ("fixed", Status.ACCEPTED, 1.0, 1.0),
    ("fixed", Status.ACCEPTED, 1.01, 1.0),
    ("faster", Status.ACCEPTED, 1.0, 1.0),
    ("faster", Status.ACCEPTED, 2.0, 1.0),
    ("broken", Status.CRASHED, None, 1.0),
]


@pytest.fixture
def run(tmp_path: Path) -> str:
    return stored(tmp_path / "run", ROWS)


def summary(text: str) -> PairSummary:
    return PairSummary.model_validate_json(text)


def test_pairs_are_written_and_every_step_counted(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs.jsonl"
    assert main(["pairs", run, "-o", str(out), "--json"]) == 0
    said = summary(capsys.readouterr().out)
    assert (said.entries, said.steps, said.pairs, said.tasks) == (6, 3, 2, 2)
    assert said.outcomes == {"error_correction": 1, "gain_within_noise": 1, "optimisation": 1}
    assert said.files == {str(out): 2} and said.interval_rate == 0.95
    pairs = [TrainingPair.model_validate_json(line) for line in out.read_text().splitlines()]
    assert {one.kind.value for one in pairs} == {"error_correction", "optimisation"}
    assert all(one.device == "Sample CPU" and one.tokens == 100 for one in pairs)


def test_held_out_tasks_have_a_file_of_their_own(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs.jsonl"
    for seed in range(20):  # some seed puts the two tasks on two sides
        flags = ["--held-out", "0.5", "--seed", str(seed), "--shape", "preference", "--json"]
        assert main(["pairs", run, "-o", str(out), *flags]) == 0
        said = summary(capsys.readouterr().out)
        if said.held_out == 1:
            break
    assert (said.train, said.held_out, said.held_out_tasks) == (1, 1, 1)
    other = tmp_path / "pairs.held_out.jsonl"
    rows = [json.loads(path.read_text()) for path in (out, other)]
    assert all(row.keys() == {"pair", "prompt", "chosen", "rejected"} for row in rows)
    assert rows[0]["pair"] != rows[1]["pair"]


def test_the_text_names_denominators_interval_and_files(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyarrow")
    out = tmp_path / "pairs.parquet"
    assert main(["pairs", run, "-o", str(out), "--shape", "sft"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for words in ("2 pairs of 3 steps between 6 candidates", "95 % interval", "2.5 %", "(2 rows)"):
        assert words in text
    assert out.exists()


def test_a_degenerate_task_makes_no_pair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = stored(tmp_path / "run", ROWS, remarks={"fixed": ("zeros pass it",)})
    out = str(tmp_path / "pairs.jsonl")
    found = []
    for flags in ([], ["--keep-degenerate"]):
        assert main(["pairs", run, "-o", out, "--json", *flags]) == 0
        found.append(summary(capsys.readouterr().out))
    assert [one.pairs for one in found] == [1, 2]
    assert sum(found[0].left_out.values()) == 1 and not found[1].left_out


def test_a_wrong_ending_is_told_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pairs", str(tmp_path / "none"), "-o", "pairs.csv"]) == 2
    assert ".jsonl or .parquet" in capsys.readouterr().err


def test_the_shapes_of_the_flag_are_those_that_rows_have() -> None:
    assert set(get_args(ShapeName)) == {shape.value for shape in PairShape}
