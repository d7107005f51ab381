"""`assay search` and `assay bench` end to end with a scripted judge: no kernel is run."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.app.main import main
from assay.app.searched import asked_search
from plugins.installed import write_metadata
from workbench.scripted_search import ScriptedJudge

DISTRIBUTION = Path(__file__).parents[2] / "workbench" / "distribution"
KERNELS = ("incorrect", "accepted 1.4", "dishonest 7", "accepted 2.5", "accepted 60")


class OpenedJudge(ScriptedJudge):
    """As `Judge` is made and used."""

    def __init__(self, device: str = "cpu", jobs: int = 1) -> None:
        super().__init__()

    def __enter__(self) -> OpenedJudge:
        return self

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of kernels whose generator is installed as another distribution would be."""
    site = tmp_path / "site"
    shutil.copytree(DISTRIBUTION, site)
    points = {"assay.generators": {"folder": "folder_generator:FolderGenerator"}}
    write_metadata(site, "folder-generator", points)
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(asked_search, "Judge", OpenedJudge)
    folder = tmp_path / "kernels"
    folder.mkdir()
    for number, line in enumerate(KERNELS):
        (folder / f"{number}.py").write_text(f"# {line}\nclass ModelNew: ...\n")
    yield folder
    sys.modules.pop("folder_generator", None)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def search(kernels: Path, out: Path, *more: str) -> int:
    plain = ["search", "softmax", "--generator", "folder", "--option", f"folder={kernels}"]
    return main([*plain, "--out", str(out), "--set", "n=5", *more])


def test_a_search_prints_its_winner_and_the_store_reads_as_any_run(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert search(kernels, out, "--json") == 0
    (result,) = lines(capsys)
    assert result["winner"] and result["best"]["speedup"] == 2.5
    assert (result["attempts"], result["untrusted"], result["below_limit"]) == (5, 1, 1)
    assert main(["show", str(out), "--json"]) == 0
    assert [row["status"] for row in lines(capsys)][:2] == ["incorrect", "accepted"]
    for command in (["score"], ["leaderboard"], ["cost", "--budget", "dollars=1"]):
        assert main([*command, str(out)]) == 0
    assert "folder" in capsys.readouterr().out


def test_the_same_command_does_nothing_twice(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bill, out = tmp_path / "bill", tmp_path / "run"
    for _ in range(2):
        assert search(kernels, out, "--option", f"paid={bill}", "--quiet") == 0
    assert len(bill.read_text().split()) == 5
    assert "2.50x" in capsys.readouterr().out


def test_no_winner_is_exit_code_1(kernels: Path, tmp_path: Path) -> None:
    assert search(kernels, tmp_path / "run", "--budget", "trials=1", "--quiet") == 1


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--generator", "nobody"], "unknown generator 'nobody'; known: completion"),
        (["--strategy", "hope"], "unknown strategy 'hope'"),
        (["--set", "colour=red"], "colour"),
        (["--budget", "hours=3"], "none of tokens"),
        (["--option", "folder"], "takes NAME=VALUE"),
    ],
)
def test_a_mistake_is_one_line_before_anything_is_stored(
    kernels: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    complaint: str,
) -> None:
    plain = ["search", "softmax", "--out", str(tmp_path / "run"), "--option", f"folder={kernels}"]
    given = [] if "--generator" in more else ["--generator", "folder"]
    assert main([*plain, *given, *more]) == 2
    assert complaint in capsys.readouterr().err
    assert not os.path.exists(tmp_path / "run")


def test_a_bench_scores_every_task_it_asked_for(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five files for two tasks of three samples: the sixth ask has no candidate, and it counts."""
    out = ["--out", str(tmp_path / "run"), "--quiet"]
    plain = ["bench", "folder", "--option", f"folder={kernels}", "--tasks", "softmax,gelu"]
    assert main([*plain, "--samples", "3", "--json", *out]) == 0
    (sheet,) = lines(capsys)
    assert sheet["tasks"] == 2 and sheet["entries"] == 6
    assert sheet["statuses"]["build_failed"] == 1


def test_ablations_of_context_compare_both_sides(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run"), "--quiet", "--json"]
    plain = ["bench", "folder", "--option", f"folder={kernels}", "--tasks", "softmax,gelu"]
    assert main([*plain, "--samples", "2", "--ablate", "context=limits", *out]) == 0
    (found,) = lines(capsys)
    assert found["tasks"] == 2 and found["difference"] == 0
    assert "no difference shown" in found["sentence"]


def test_a_task_of_a_search_without_a_candidate_counts_as_failed(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run"), "--quiet", "--budget", "trials=1"]
    plain = ["search", "softmax", "gelu", "--generator", "folder", "--option", f"folder={kernels}"]
    assert main([*plain, *out, "--set", "n=1"]) == 1
    capsys.readouterr()
    assert main(["score", str(tmp_path / "run"), "--json"]) == 0
    (sheet,) = lines(capsys)
    assert (sheet["tasks"], sheet["not_attempted"]) == (2, 1)


def test_a_stored_run_is_replayed_in_its_order(
    kernels: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    search(kernels, tmp_path / "first", "--json")
    (first,) = lines(capsys)
    replay = ["search", "softmax", "--generator", "replay", "--set", "n=9", "--json"]
    places = ["--option", f"from={tmp_path / 'first'}", "--out", str(tmp_path / "again")]
    assert main([*replay, *places]) == 0
    (again,) = lines(capsys)
    assert again["spent"]["trials"] == first["spent"]["trials"] == len(KERNELS)
    assert again["best"]["source"] == first["best"]["source"]
    assert main([*replay[:4], "--option", "from=/nowhere", "--out", str(tmp_path / "no")]) == 2
