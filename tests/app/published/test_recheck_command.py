"""`assay recheck` as a user sees it, around a judge that answers at once."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.app.main import main
from assay.data.candidate import Candidate
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status
from assay.engine import suite_run
from assay.store.run_store import RunStore
from bundled_run import timed
from sample_records import TIMING, judgement

Captured = pytest.CaptureFixture[str]
TABLE = """task,candidate,speedup,GB/s,gpu,notes
softmax,kernels/good.py,2.0,,,
softmax,kernels/over.py,3.0,,,
softmax,kernels/wrong.py,4.0,,,
softmax,kernels/dishonest.py,5.0,"83,972",RTX 5090,
softmax,kernels/lost.py,6.0,,,<b>
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that were judged."""
    names: list[str] = []

    class AtOnce:
        def __init__(self, device: str, jobs: int) -> None: ...

        def __enter__(self) -> AtOnce:
            return self

        def __exit__(self, *_: object) -> None: ...

        def close(self) -> None: ...

        def evaluate_many(
            self, task: Task, given: Sequence[Candidate], settings: Settings, *_: Any
        ) -> Generator[Judgement, None, None]:
            for one in given:
                stem = Path(one.name).stem
                names.append(stem)
                status = {"wrong": Status.INCORRECT, "dishonest": Status.DISHONEST}.get(stem)
                made = judgement(one, settings, status or Status.ACCEPTED)
                made = made.model_copy(update={"task": task})
                yield timed(made, TIMING) if status is None else made

    monkeypatch.setattr(suite_run, "Judge", AtOnce)
    return names


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    for name in ("good", "over", "wrong", "dishonest"):
        (kernels / f"{name}.py").write_text(f"# {name}\nclass ModelNew: ...\n")
    (tmp_path / "claims.csv").write_text(TABLE)
    return ["recheck", str(tmp_path / "claims.csv"), "--out", str(tmp_path / "run")]


def marks(out: str) -> list[str]:
    return [json.loads(line)["mark"] for line in out.splitlines()]


def test_every_claim_gets_a_row_with_a_mark(
    command: list[str], asked: list[str], capsys: Captured
) -> None:
    assert main(command) == 1
    out, err = capsys.readouterr()
    rows = [line.split()[0] for line in out.splitlines()[1:-1]]
    assert rows == ["confirmed", "overstated", "wrong", "impossible", "unknown"]
    assert out.splitlines()[-1].endswith("of 5 claims")
    assert "columns that say nothing here: notes" in err
    assert sorted(asked) == ["dishonest", "good", "over", "wrong"]


def test_the_same_command_judges_nothing_twice_and_says_the_same(
    command: list[str], asked: list[str], capsys: Captured, tmp_path: Path
) -> None:
    assert main([*command, "--json"]) == main([*command, "--json"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:5] == lines[5:] and len(asked) == 4
    with RunStore(tmp_path / "run") as store:
        (run,) = store.runs()
        assert len(store.events(run, "recheck")) == 1


def test_json_is_one_record_a_claim(command: list[str], asked: list[str], capsys: Captured) -> None:
    main([*command, "--json"])
    out, _ = capsys.readouterr()
    assert marks(out) == ["confirmed", "overstated", "wrong", "impossible", "unknown"]
    first, *_, cheat, lost = (json.loads(line) for line in out.splitlines())
    assert first["measured"]["speedup_high"] == 2.1 and first["entry"] == 0
    assert [one["mark"] for one in cheat["findings"]] == ["impossible", "cheat"]
    assert lost["status"] is None and "No such file" in lost["reason"]


def test_files_hold_the_same(
    command: list[str], asked: list[str], capsys: Captured, tmp_path: Path
) -> None:
    files = {kind: tmp_path / "out" / f"r.{kind}" for kind in ("html", "md", "csv")}
    words = [word for kind, path in files.items() for word in (f"--{kind}", str(path))]
    assert main([*command, *words]) == 1
    rows = list(csv.DictReader(io.StringIO(files["csv"].read_text())))
    assert [row["mark"] for row in rows][3:] == ["impossible", "unknown"]
    assert rows[3]["claimed_gb_s"] == "83972.0" and rows[0]["speedup"] == "2.0"
    assert "| impossible | softmax |" in files["md"].read_text()
    page = files["html"].read_text()
    assert '"claims":[{' in page and "function claimsPage" in page and "83,972 GB/s" in page
    assert main(["report", str(tmp_path / "run"), "-o", str(tmp_path / "again.html")]) == 0
    assert '"claims":[{' in (tmp_path / "again.html").read_text()


def test_every_claim_that_holds_is_success(
    command: list[str], asked: list[str], tmp_path: Path
) -> None:
    (tmp_path / "claims.csv").write_text("\n".join(TABLE.splitlines()[:2]) + "\n")
    assert main([*command, "--quiet"]) == 0


def test_without_judging_only_the_figures_are_checked(
    command: list[str], asked: list[str], capsys: Captured, tmp_path: Path
) -> None:
    claims = command[1]
    page = tmp_path / "r.html"
    assert main(["recheck", claims, "--no-judge", "--json", "--html", str(page)]) == 1
    out, _ = capsys.readouterr()
    assert marks(out) == ["unknown", "unknown", "unknown", "impossible", "unknown"]
    assert asked == [] and not (tmp_path / "run").exists() and '"claims":[{' in page.read_text()
    Path(claims).write_text("\n".join(TABLE.splitlines()[:3]) + "\n")
    assert main(["recheck", claims, "--no-judge"]) == 0


def test_mistakes_are_one_line(command: list[str], capsys: Captured) -> None:
    claims = command[1]
    assert main(["recheck", claims]) == 2
    assert "--out RUN" in capsys.readouterr().err
    assert main(["recheck", "none.csv", "--no-judge"]) == 2
    assert main(["recheck", claims, "--suite", "nothing", "--no-judge"]) == 2
    capsys.readouterr()
    assert main([*command, "--device", "abacus"]) == 2


def test_a_device_that_is_not_here_leaves_the_figures(
    command: list[str], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.devices.cuda_device import CudaBackend

    monkeypatch.setattr(CudaBackend, "available", lambda _: "no driver")
    assert main([*command, "--device", "cuda"]) == 2
    assert "--no-judge checks the figures" in capsys.readouterr().err
