"""`assay new`: what it writes works, and nothing is overwritten unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.main import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_task_is_written_once(capsys: Captured) -> None:
    assert main(["new", "task", "mine"]) == 0
    assert capsys.readouterr().out == "wrote mine.py\nnext: assay audit mine.py\n"
    Path("mine.py").write_text("changed")
    assert main(["new", "task", "mine"]) == 2
    assert "--force" in capsys.readouterr().err and Path("mine.py").read_text() == "changed"
    assert main(["new", "task", "mine", "--force"]) == 0
    assert "class Model" in Path("mine.py").read_text()


def test_a_candidate_goes_where_it_is_told(capsys: Captured) -> None:
    words = ["new", "candidate", "swiglu", "--language", "python", "-o", "k.py", "--json"]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["path"] == "k.py" and "swiglu k.py" in told["next"]
    assert "class ModelNew(Model)" in Path("k.py").read_text()


@pytest.mark.parametrize(
    "words",
    [["task", "no-name!"], ["task", "mine", "--language", "cpp"], ["candidate", "no_such_task"]],
)
def test_mistakes_are_one_line(words: list[str], capsys: Captured) -> None:
    assert main(["new", *words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert list(Path().iterdir()) == []


@pytest.mark.exhaustive
def test_the_templates_judge(capsys: Captured) -> None:
    assert main(["new", "task", "mine"]) == 0
    assert main(["audit", "mine.py", "--level", "quick"]) == 0
    levels = ["--level", "smoke", "--json"]
    for language, track, code in (("python", "open", 0), ("cpp", "kernel", 1)):
        assert main(["new", "candidate", "mine.py", "--language", language]) == 0
        capsys.readouterr()
        file = f"mine__{language}.py"
        assert main(["eval", "mine.py", file, "--track", track, *levels]) == code
        assert json.loads(capsys.readouterr().out)["status"] == (
            "incorrect" if code else "accepted"
        )
