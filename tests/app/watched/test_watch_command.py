"""`assay watch` around a scripted pipeline: levels, saves, half-written files, Ctrl-C."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.app.main import main
from assay.app.watched import watch_command
from assay.app.watched.watched_file import WatchedFile
from assay.data.run import Judgement
from assay.data.settings import Level, Settings
from scripted_pipeline import ScriptedPipeline

Captured = pytest.CaptureFixture[str]
Kernel = Callable[..., str]


@pytest.fixture(autouse=True)
def _quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_command, "WatchedFile", lambda path: WatchedFile(path, poll_s=0.01))


def _levels(pipeline: ScriptedPipeline) -> list[tuple[Level, bool]]:
    return [(settings.level, settings.timing) for _, _, settings in pipeline.calls]


def test_levels_get_deeper_while_it_is_accepted(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    assert main(["watch", "softmax", kernel("accepted"), "--once"]) == 0
    assert _levels(pipeline) == [
        (Level.SMOKE, False),
        (Level.QUICK, True),
        (Level.STANDARD, True),
    ]
    assert pipeline.closed == 3
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and all("accepted  It is accepted." in line for line in lines[1:])


def test_what_is_not_accepted_is_not_asked_more(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    assert main(["watch", "softmax", kernel("incorrect"), "--once"]) == 1
    assert _levels(pipeline) == [(Level.SMOKE, False)]
    assert "incorrect  It is incorrect." in capsys.readouterr().out


def test_the_level_asked_for_is_the_deepest(pipeline: ScriptedPipeline, kernel: Kernel) -> None:
    main(["watch", "softmax", kernel("accepted"), "--once", "--level", "smoke", "--timing"])
    assert _levels(pipeline) == [(Level.SMOKE, True)]


def test_json_is_one_line_a_verdict(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    main(["watch", "softmax", kernel("accepted"), "--once", "--json", "--level", "quick"])
    captured = capsys.readouterr()
    assert [json.loads(line)["status"] for line in captured.out.splitlines()] == ["accepted"] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "does not exist yet"),
        ("# accepted\nclass ModelNew:\n    def forward(self\n", "kernel.py:3: syntax error"),
        ("a = '\0'\n", "null byte"),
    ],
)
def test_what_cannot_be_judged_is_said(
    text: str | None, said: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernel.py"
    if text is not None:
        path.write_text(text)

    def ctrl_c(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(WatchedFile, "wait", ctrl_c)
    assert main(["watch", "softmax", str(path)]) == 0
    captured = capsys.readouterr()
    assert said in captured.out and captured.out.endswith("waiting for the next save\n")
    assert captured.err == ""


def test_once_has_nothing_to_wait_for(
    pipeline: ScriptedPipeline, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["watch", "softmax", str(tmp_path / "kernel.py"), "--once"]) == 2
    captured = capsys.readouterr()
    assert captured.err.endswith("kernel.py does not exist yet\n") and captured.out == ""


def test_once_judges_half_of_a_file_as_eval_does(
    pipeline: ScriptedPipeline, kernel: Kernel
) -> None:
    path = Path(kernel("build_failed"))
    path.write_text(path.read_text() + "def (")
    assert main(["watch", "softmax", str(path), "--once"]) == 1
    assert len(pipeline.calls) == 1


def test_a_save_ends_the_judgement_and_the_new_content_is_judged(
    monkeypatch: pytest.MonkeyPatch,
    pipeline: ScriptedPipeline,
    kernel: Kernel,
    capsys: Captured,
) -> None:
    """The first judgement would never end; the second ends the program as Ctrl-C does."""
    path = Path(kernel("accepted", "kernel.py"))
    ended = []

    def judge(task: Any, candidates: Any, settings: Settings, *_: Any) -> Iterator[Judgement]:
        try:
            if "incorrect" in candidates[0].main.text:
                raise KeyboardInterrupt
            path.write_text("# incorrect\nclass ModelNew: ...\n")
            time.sleep(300.0)
            yield from ()
        finally:
            ended.append(settings.level)

    monkeypatch.setattr(sys.modules["assay.pipeline"], "evaluate_many", judge)
    began_s = time.monotonic()
    assert main(["watch", "softmax", str(path)]) == 0
    assert ended == [Level.SMOKE, Level.SMOKE] and time.monotonic() - began_s < 240.0
    out = capsys.readouterr().out
    assert "saved again" in out and out.count("kernel.py") == 2
