"""`assay report`, `assay eval --html` and the demo's report: files whole, mistakes in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app.main import main
from assay.app.stored.report_command import _shown
from assay.store.run_store import RunStore
from scripted_pipeline import ScriptedPipeline
from synthetic_run import RUN, judged

Captured = pytest.CaptureFixture[str]
Kernel = Callable[..., str]


@pytest.fixture
def stored(tmp_path: Path) -> str:
    place = str(tmp_path / "run")
    with RunStore(place, create=True) as store:
        store.begin(RUN)
        for entry, judgement in judged(tasks=1, rounds=1, workloads=2):
            store.add(RUN, [entry])
            store.record(entry.key(RUN.settings, RUN.assay), judgement)
    return place


def test_every_file_is_written_and_named(stored: str, tmp_path: Path, capsys: Captured) -> None:
    names = {"--out": "a/r.html", "--md": "r.md", "--csv": "r.csv", "--badge": "r.svg"}
    flags = [word for flag, name in names.items() for word in (flag, str(tmp_path / name))]
    assert main(["report", stored, *flags, "--json"]) == 0
    captured = capsys.readouterr()
    assert set(json.loads(captured.out)) == {"html", "md", "csv", "badge"}
    assert all((tmp_path / name).stat().st_size for name in names.values())
    assert "assay eval task_00 task_00/writer_large_0.py" in (tmp_path / "a/r.html").read_text()
    assert not list(tmp_path.rglob("*.part"))


def test_without_a_file_the_markdown_is_the_result(stored: str, capsys: Captured) -> None:
    assert main(["report", stored]) == 0
    assert capsys.readouterr().out.startswith("### Run made")


def test_a_dash_is_stdout(
    stored: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert main(["report", stored, "--md", "-"]) == 0
    assert capsys.readouterr().out.startswith("### Run made")
    assert main(["report", stored, "--csv", "-"]) == 0
    assert capsys.readouterr().out.startswith("number,")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("flags", [["--md", "-", "--csv", "-"], ["--md", "-", "--json"]])
def test_stdout_carries_one_thing(stored: str, flags: list[str], capsys: Captured) -> None:
    assert main(["report", stored, *flags]) == 2
    assert capsys.readouterr().out == ""


def test_a_place_that_cannot_be_written_is_one_line(stored: str, capsys: Captured) -> None:
    assert main(["report", stored, "-o", "/proc/none/r.html"]) == 2
    assert "cannot write /proc/none/r.html" in capsys.readouterr().err


def test_a_password_is_not_passed_on() -> None:
    assert _shown("postgresql://me:secret@host/base#run") == "RUN"
    assert _shown("postgresql://host/base#run") == "postgresql://host/base#run"
    assert _shown("out/run#a") == "out/run#a"


def test_eval_writes_the_page_of_its_verdicts(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "page.html"
    assert main(["eval", "softmax", kernel("incorrect"), "--json", "--html", str(path)]) == 1
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1 and f"wrote {path}" in captured.err
    text = path.read_text()
    assert "Task softmax" in text and "--replay record.json" in text


def test_eval_finds_a_page_that_cannot_be_written_before_it_judges(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    assert main(["eval", "softmax", kernel("accepted"), "--html", "/proc/none/p.html"]) == 2
    assert pipeline.calls == [] and "cannot write --html" in capsys.readouterr().err


def test_the_demo_ends_with_its_report(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path, capsys: Captured
) -> None:
    from assay.app.demo import run
    from assay.app.flags import DemoFlags

    kernel("accepted", "softmax/honest__a.py")
    path = tmp_path / "out" / "demo.html"
    assert run(DemoFlags(tmp_path, html=path)) == 0
    assert path.stat().st_size and "The report: " in capsys.readouterr().out
