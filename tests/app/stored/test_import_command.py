"""`assay import`: others' records become a run of claims, and never verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.main import main
from foreign_records import corpus, trace, written


@pytest.fixture
def imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    file = written(tmp_path / "all_records.jsonl", corpus())
    run = str(tmp_path / "run")
    assert main(["import", "kernelbench_x", str(file), "-o", run]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "5 records of kernelbench_x: 9 candidates of 4 tasks" in text
    assert "none of them is judged" in text
    return run


def test_nothing_that_is_claimed_counts_as_judged(
    imported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", imported, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"open": 9}
    assert main(["score", imported, "--json", "--family", "assay"]) == 0
    scores = {s["name"]: s["value"] for s in json.loads(capsys.readouterr().out)["scores"]}
    assert scores["assay.accepted"] == 0 and scores["assay.not_judged"] == 1
    assert main(["analyse", imported, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] == 0 and found["transitions"] == []


def test_the_analysis_says_how_many_claimed_gains_are_noise(
    imported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", imported]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "2 of 3 claimed gains are within noise: less than 5 %" in text
    assert "1 of the 3 are between identical sources" in text


def test_the_same_file_adds_nothing_again(
    imported: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "kernelbench_x", str(tmp_path), "-o", imported, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["records"], said["entries"], said["added"]) == (5, 9, 0)


def test_claims_make_pairs_only_where_asked_for(
    imported: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pairs.jsonl"
    found = []
    for flags in ([], ["--claimed"]):
        assert main(["pairs", imported, "-o", str(out), "--json", *flags]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert [one["pairs"] for one in found] == [0, 2]
    assert found[0]["outcomes"] == {"claimed": 4, "same_source": 1}
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert all(row["claimed"] and row["after"]["status"] == "" for row in rows)


def test_a_trace_without_sources_is_a_mistake_with_its_mend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = trace(1, "a", "b", parent_code=None, child_code=None)
    file = written(tmp_path / "t.jsonl", [bare])
    assert main(["import", "openevolve", str(file), "-o", str(tmp_path / "run")]) == 2
    assert "include_code" in capsys.readouterr().err
    assert main(["import", "none", str(file), "-o", str(tmp_path / "run")]) == 2
    assert "known: kernelbench, kernelbench_x, openevolve" in capsys.readouterr().err
