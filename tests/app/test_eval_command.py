"""`assay eval` around the pipeline: order, JSON, records, replay, and mistakes before any run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.check import CheckDeclaration
from assay.data.run import Judgement
from assay.data.settings import Level, Track
from assay.data.verdict import Verdict
from scripted_pipeline import ScriptedPipeline

Captured = pytest.CaptureFixture[str]
Kernel = Callable[..., str]


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["accepted"], 0),
        (["accepted", "incorrect"], 1),
        (["invalid_task"], 1),
        (["suspicious"], 1),
        (["incorrect", "not_run", "accepted"], 3),
    ],
)
def test_exit_codes(
    statuses: list[str], code: int, pipeline: ScriptedPipeline, kernel: Kernel
) -> None:
    assert main(["eval", "softmax", *map(kernel, statuses)]) == code
    assert pipeline.closed == 1


def test_json_is_one_verdict_a_line_in_the_order_given_and_nothing_else(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    statuses = ["incorrect", "accepted", "crashed"]
    main(["eval", "softmax", *map(kernel, statuses), "--json"])
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert [json.loads(line)["status"] for line in lines] == statuses
    assert all(Verdict.model_validate_json(line).task == "softmax" for line in lines)
    assert captured.err == ""


def test_one_candidate_gets_a_block_and_many_get_a_row_each(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    main(["eval", "softmax", kernel("accepted")])
    assert "right yes, honest yes" in capsys.readouterr().out
    main(["eval", "softmax", kernel("accepted"), kernel("incorrect")])
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 4
    assert rows[-1].strip() == "1 accepted, 1 incorrect of 2"


def test_flags_reach_the_pipeline(pipeline: ScriptedPipeline, kernel: Kernel) -> None:
    options = "--track open --level full --no-timing --timeout-s 7 --build-timeout-s 9 --jobs 2"
    main(["eval", "softmax", kernel("accepted"), *options.split()])
    settings = pipeline.calls[0][2]
    assert (settings.track, settings.level, settings.timing) == (Track.OPEN, Level.FULL, False)
    assert (settings.timeout_s, settings.build_timeout_s, settings.jobs) == (7.0, 9.0, 2)
    assert pipeline.replays == [None]


def test_out_writes_whole_records_and_replay_reuses_them(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path
) -> None:
    out = tmp_path / "deep" / "out"
    path = kernel("accepted")
    main(["eval", "softmax", path, "--out", str(out), "--level", "quick", "--track", "mixed"])
    (record,) = out.iterdir()
    judgement = Judgement.model_validate_json(record.read_text())
    assert record.name.startswith("softmax.accepted.")
    assert main(["eval", "softmax", path, "--replay", str(record)]) == 0
    again = pipeline.calls[1][2]
    assert judgement.verdict.plan is not None
    assert pipeline.replays[1] == judgement.verdict.plan
    assert (again.level, again.track) == (Level.QUICK, Track.MIXED)


def test_a_flag_that_contradicts_the_replayed_record_is_refused(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path, capsys: Captured
) -> None:
    path = kernel("accepted")
    main(["eval", "softmax", path, "--out", str(tmp_path / "out"), "--level", "quick"])
    (record,) = (tmp_path / "out").iterdir()
    capsys.readouterr()
    assert main(["eval", "softmax", path, "--replay", str(record), "--level", "full"]) == 2
    assert "contradicts the record, which says quick" in capsys.readouterr().err


def test_a_replay_for_another_candidate_says_so(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path, capsys: Captured
) -> None:
    main(["eval", "softmax", kernel("accepted"), "--out", str(tmp_path / "out")])
    (record,) = (tmp_path / "out").iterdir()
    main(["eval", "softmax", kernel("incorrect"), "--replay", str(record)])
    assert "not an exact replay" in capsys.readouterr().err


def test_records_of_other_tasks_candidates_and_settings_stay(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path
) -> None:
    out, one, two = tmp_path / "out", kernel("accepted"), kernel("accepted", "d/ö x.py")
    for task, path, *flags in (
        ("softmax", one),
        ("gelu", one),
        ("softmax", two),
        ("softmax", one, "--level", "quick"),
        ("softmax", one),
    ):
        assert main(["eval", task, path, "--no-timing", "--out", str(out), *flags]) == 0
    names = sorted(path.name.rsplit(".", 2)[0] for path in out.iterdir())
    assert names == ["gelu.accepted", "softmax._x", "softmax.accepted", "softmax.accepted"]


@pytest.fixture
def record(pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path) -> Path:
    """The record of `accepted.py` on softmax."""
    out = tmp_path / "out"
    main(["eval", "softmax", kernel("accepted"), "--level", "quick", "--out", str(out)])
    pipeline.calls.clear()
    (found,) = out.iterdir()
    return found


@pytest.mark.parametrize(
    ("task", "edit", "told"),
    [
        ("gelu", {}, "is a record of the task 'softmax', not of 'gelu': give that task"),
        ("softmax", {"schema_version": 7}, "has schema version 7, and this Assay reads 1"),
        ("softmax", {"surplus": 1}, "is not a record that `assay eval --out` wrote"),
    ],
)
def test_a_record_that_cannot_be_replayed_is_one_line(
    task: str,
    edit: dict[str, int],
    told: str,
    record: Path,
    capsys: Captured,
) -> None:
    record.write_text(json.dumps(json.loads(record.read_text()) | edit))
    capsys.readouterr()
    kernel = str(record.parents[1] / "accepted.py")
    assert main(["eval", task, kernel, "--replay", str(record)]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_a_changed_task_is_not_replayed(
    record: Path, kernel: Kernel, tmp_path: Path, capsys: Captured
) -> None:
    source = json.loads(record.read_text())["task"]["source"]
    changed = tmp_path / "softmax.py"
    changed.write_text(source + "\n# changed\n")
    assert main(["eval", str(changed), kernel("accepted"), "--replay", str(record)]) == 2
    assert "has changed since" in capsys.readouterr().err


def test_a_line_of_json_is_replayed_too(
    record: Path, pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path
) -> None:
    judgement = Judgement.model_validate_json(record.read_text())
    line = tmp_path / "verdict.json"
    line.write_text(judgement.verdict.model_dump_json() + "\n")
    assert main(["eval", "softmax", kernel("accepted"), "--replay", str(line)]) == 0
    assert pipeline.replays[-1] == judgement.verdict.plan
    assert pipeline.calls[-1][2].level is Level.QUICK
    line.write_text(2 * line.read_text())
    assert main(["eval", "softmax", kernel("accepted"), "--replay", str(line)]) == 2


@pytest.mark.parametrize(
    ("given", "jobs"),
    [
        (["--jobs", "3"], 3),
        (["--jobs", "3", "--no-timing"], 3),
        ([], 1),
        (["--device", "cuda"], 4),
        (["--device", "cuda", "--jobs", "1"], 1),
    ],
)
def test_several_are_judged_at_a_time_on_demand_and_on_a_gpu(
    pipeline: ScriptedPipeline, kernel: Kernel, given: list[str], jobs: int
) -> None:
    main(["eval", "softmax", kernel("accepted"), *given])
    assert pipeline.calls[-1][2].jobs == jobs


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["missing_one.py", "missing_two.py"], ("missing_one.py", "missing_two.py")),
        (["--device", "tpu"], ("unknown device 'tpu'", "cpu, cuda")),
        (["--timeout-s", "nan"], ("--timeout-s must be a positive",)),
        (["--timeout-s", "0"], ("--timeout-s must be a positive",)),
        (["--build-timeout-s", "-3"], ("--build-timeout-s must be a positive",)),
        (["--baseline", "no/such.py"], ("no such baseline file: no/such.py",)),
        (
            ["--baseline", "eager", "--baseline", "fastest"],
            ("'fastest' is neither a file", "vendor"),
        ),
        (["--replay", "no_record.json"], ("cannot read the record no_record.json",)),
        (["--out", "/dev/null/x"], ("cannot write into --out /dev/null/x",)),
    ],
)
def test_mistakes_are_found_before_anything_runs(
    extra: list[str],
    told: tuple[str, ...],
    pipeline: ScriptedPipeline,
    kernel: Kernel,
    capsys: Captured,
) -> None:
    assert main(["eval", "softmax", kernel("accepted"), *extra]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("assay: ") and captured.err.count("\n") == 1
    assert all(text in captured.err for text in told)
    assert captured.out == "" and pipeline.calls == []


def test_a_record_that_is_none_is_refused(
    pipeline: ScriptedPipeline, kernel: Kernel, tmp_path: Path, capsys: Captured
) -> None:
    (tmp_path / "r.json").write_text('{"verdict": 1}')
    assert main(["eval", "softmax", kernel("accepted"), "--replay", str(tmp_path / "r.json")]) == 2
    assert "is not a record that `assay eval --out` wrote" in capsys.readouterr().err


def test_an_unknown_task_is_refused(pipeline: ScriptedPipeline, kernel: Kernel) -> None:
    assert main(["eval", "no_such_task", kernel("accepted")]) == 2
    assert pipeline.calls == []


def test_an_interrupt_closes_the_pipeline(
    pipeline: ScriptedPipeline, kernel: Kernel, capsys: Captured
) -> None:
    pipeline.error = KeyboardInterrupt()
    assert main(["eval", "softmax", kernel("accepted")]) == 130
    assert pipeline.closed == 1
    assert capsys.readouterr().err == "assay: interrupted\n"


def test_a_failing_printer_closes_the_pipeline_too(
    pipeline: ScriptedPipeline, kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object, verdict: Verdict) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.app.printers.JsonPrinter.add", interrupted)
    assert main(["eval", "softmax", kernel("accepted"), kernel("incorrect"), "--json"]) == 130
    assert pipeline.closed == 1


@pytest.mark.parametrize("order", [["--checks", "--json"], ["--json", "--checks"]])
def test_checks_are_listed_as_records_in_any_order_of_flags(
    order: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *order]) == 0
    lines = capsys.readouterr().out.splitlines()
    listed = [CheckDeclaration.model_validate_json(line) for line in lines]
    assert {"ablation", "process state", "repeated calls"} <= {one.name for one in listed}


def test_checks_are_listed_with_what_each_costs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--checks", "softmax"]) == 0
    text = capsys.readouterr().out
    assert "\nablation  " in text and "process: a second build and some dozens of calls" in text
    assert "kernels on interpreter" in text
