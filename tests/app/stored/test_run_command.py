"""`assay run` as a user sees it: lines, tables, JSON, exit codes, and how a run goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from assay.app.main import main
from assay.data.candidate import Candidate
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.engine import suite_run
from assay.errors import HostError
from assay.report.run_progress import RunProgress
from assay.store.database import opened
from assay.store.run_store import RunStore
from sample_records import judgement

Captured = pytest.CaptureFixture[str]
KERNEL = "class ModelNew:\n    number = {}\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that were judged; whoever is called `wrong` is incorrect."""
    names: list[str] = []

    class AtOnce:
        """A judge that answers at once."""

        def __init__(self, device: str, jobs: int) -> None: ...

        def __enter__(self) -> AtOnce:
            return self

        def __exit__(self, *_: object) -> None: ...

        def close(self) -> None: ...

        def evaluate_many(
            self, task: Any, given: Sequence[Candidate], settings: Settings, *_: Any
        ) -> Generator[Judgement, None, None]:
            for one in given:
                names.append(Path(one.name).stem)
                wrong = "wrong" in one.name
                yield judgement(one, settings, Status.INCORRECT if wrong else Status.ACCEPTED)

    monkeypatch.setattr(suite_run, "Judge", AtOnce)
    return names


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Three candidates of two tasks."""
    for number, name in enumerate(("gelu/a", "softmax/b", "softmax/wrong")):
        path = tmp_path / "candidates" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(KERNEL.format(number))
    places = ["--candidates", str(tmp_path / "candidates"), "--out", str(tmp_path / "run")]
    return ["run", "native", "--no-timing", *places]


def test_a_pipe_gets_a_line_each_and_a_table(
    command: list[str], asked: list[str], capsys: Captured
) -> None:
    assert main(command) == 1
    out, err = capsys.readouterr()
    *lines, last = err.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["[1/3]", "[2/3]", "[3/3]"]
    assert "wrong.py: incorrect: It is incorrect." in lines[2]
    assert last.startswith("Judged 3 in ")
    rows = [line.split() for line in out.splitlines() if line.strip()]
    assert rows[0] == ["task", "candidates", "accepted", "incorrect"]
    assert rows[2:4] == [["gelu", "1", "1", "-"], ["softmax", "2", "1", "1"]]
    assert rows[-1] == "all 3 2 of 3 1 of 3".split()


def test_the_same_command_judges_nothing_twice(
    command: list[str], asked: list[str], capsys: Captured
) -> None:
    assert main(command) == main(command) == 1
    assert sorted(asked) == ["a", "b", "wrong"]
    assert "; 3 were known." in capsys.readouterr().err.splitlines()[-1]


def test_what_is_put_beside_them_later_is_judged_too(
    command: list[str], asked: list[str], tmp_path: Path
) -> None:
    main(command)
    (tmp_path / "candidates" / "gelu" / "0_first.py").write_text(KERNEL.format(9))
    main(command)
    assert asked[3:] == ["0_first"]
    with RunStore(tmp_path / "run") as store:
        (run,) = store.runs()
        assert store.counts(run) == {"accepted": 3, "incorrect": 1}
        kinds = [event.kind for event in store.events(run)]
        assert kinds == ["started", "finished", "resumed", "finished"] or kinds[0] == "started"


def test_quiet_leaves_the_table_alone(
    command: list[str], asked: list[str], capsys: Captured
) -> None:
    main([*command, "--quiet"])
    out, err = capsys.readouterr()
    assert err == "" and "softmax" in out


def test_json_is_one_verdict_a_line_and_nothing_else(
    command: list[str], asked: list[str], capsys: Captured
) -> None:
    assert main([*command, "--json"]) == 1
    out, err = capsys.readouterr()
    verdicts = [json.loads(line) for line in out.splitlines()]
    assert [one["status"] for one in verdicts] == ["accepted", "accepted", "incorrect"]
    assert err == ""


def test_an_interrupt_says_how_to_go_on(
    command: list[str],
    asked: list[str],
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    with monkeypatch.context() as patched:

        def interrupt(*_: Any) -> None:
            raise KeyboardInterrupt

        patched.setattr(RunProgress, "add", interrupt)
        assert main(command) == 130
    err = capsys.readouterr().err
    assert "of 3 are judged and kept; the same command goes on" in err
    with RunStore(tmp_path / "run") as store:
        (run,) = store.runs()
        assert store.events(run, "stopped")[0].data["why"] == "KeyboardInterrupt"
        assert store.owners() == []
    assert main(command) == 1
    assert sorted(asked) == ["a", "b", "wrong"]


def test_a_store_that_fails_is_one_line_and_code_three(
    command: list[str], asked: list[str], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise HostError("the store x cannot be used: database or disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(RunStore, "record", full)
        assert main([*command, "--quiet"]) == 3
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "database or disk is full" in err
    assert main([*command, "--quiet"]) == 1


def test_a_folder_without_candidates_makes_no_store(
    command: list[str], tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "empty").mkdir()
    command[command.index("--candidates") + 1] = str(tmp_path / "empty")
    assert main(command) == 2
    assert "holds no candidate" in capsys.readouterr().err and not (tmp_path / "run").exists()


def test_a_newer_store_is_one_line_and_code_two(
    command: list[str], asked: list[str], tmp_path: Path, capsys: Captured
) -> None:
    made = opened(tmp_path / "run", create=True)
    with made.writing() as connection:
        connection.execute(text("UPDATE facts SET value = '999'"))
    made.close()
    assert main(command) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "has version 999" in err and asked == []


def test_a_folder_that_cannot_be_written_is_one_line_and_code_two(
    command: list[str], asked: list[str], tmp_path: Path, capsys: Captured
) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for root")
    (tmp_path / "run").mkdir(mode=0o500)
    assert main(command) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "cannot write into" in err
