"""`assay leaderboard`, `analyse`, `cost` and `compare` from stored runs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.verdict import Status
from graded_samples import stored

OK, WRONG = Status.ACCEPTED, Status.INCORRECT


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    first = [(f"t{i}", OK if i < 3 else WRONG, 1.0 + 0.1 * i, 1.0) for i in range(10)]
    second = [(f"t{i}", OK if i < 9 else WRONG, 2.0 + 0.1 * i, 1.0) for i in range(10)]
    return stored(tmp_path / "a", first, "A"), stored(tmp_path / "b", second, "B")


def test_the_leaderboard_orders_by_what_is_solved(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["leaderboard", *runs, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["place"], row["generator"]) for row in rows] == [(1, "B"), (2, "A")]
    assert main(["leaderboard", *runs, "--csv"]) == 0
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["kernelgenbench.accuracy"] for row in table] == ["0.9", "0.3"]
    assert main(["leaderboard", *runs]) == 0
    text = capsys.readouterr().out
    assert "Shares of 10 tasks" in text and "dollars/success" in text


def test_runs_are_compared_in_a_sentence(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", *runs]) == 0
    text = capsys.readouterr().out
    assert "both solve 3, A alone 0, B alone 6, neither 1: B solves more" in text
    assert main(["compare", runs[0], "--generator", "A", "--generator", "nobody"]) == 2
    assert "known generators: A" in capsys.readouterr().err
    assert main(["compare", runs[0]]) == 2


def test_tasks_that_neither_tried_are_left_out_where_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = stored(tmp_path / "a", [("softmax", OK, 2.0, 1.0)], "A", suite="native")
    second = stored(tmp_path / "b", [("gelu", OK, 2.0, 1.0)], "B", suite="native")
    counted = {}
    for flags in ((), ("--attempted-only",)):
        assert main(["compare", first, second, "--json", *flags]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["only_first"], found["only_second"]) == (1, 1)
        counted[flags] = found["tasks"], found["neither"]
    assert counted["--attempted-only",] == (2, 0)
    tasks, neither = counted[()]
    assert tasks > 2 and neither == tasks - 2


def test_a_budget_is_priced(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", runs[0], "--budget", "dollars=2", "--tasks", "50", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tried"], found["binding"], found["tasks"]) == (4.0, "dollars", 50)
    assert main(["cost", runs[0], "--budget", "dollars=2,tokens=1e9"]) == 0
    assert "dollars run out first" in capsys.readouterr().out
    assert main(["cost", runs[0], "--budget", "dollars=2", "--suite", "native"]) == 0
    assert "tasks like those of native" in capsys.readouterr().out
    assert main(["cost", runs[0], "--budget", "dollars=2", "--suite", "nowhere"]) == 2
    assert "unknown suite 'nowhere'" in capsys.readouterr().err
    for wrong in ("euros=1", "dollars", "dollars=-1", "dollars=inf"):
        assert main(["cost", runs[0], "--budget", wrong]) == 2
        assert "--budget" in capsys.readouterr().err


def test_an_analysis_is_printed_and_is_a_record(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyse", *runs]) == 0
    text = capsys.readouterr().out
    assert "12 of 20 candidates are accepted" in text and "method" in text
    assert main(["analyse", *runs, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attribution"]["tasks"] == 10 and len(found["pareto"]) == 2
