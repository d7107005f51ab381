"""`assay rubric`: kernels, records and runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.app.main import main
from assay.data.candidate import Candidate, Provenance
from assay.data.generator import Generator
from assay.data.run import Entry, Judgement, Run
from assay.data.scoring.rubric import KernelRubric, RubricProfile
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status
from assay.store.run_store import RunStore
from graded_samples import stored
from sample_records import TIMING, judgement, verdict
from sample_records import candidate as sample
from support.rubric_kernels import TORCH_MATMUL, TRITON_ADD, WMMA

Captured = pytest.CaptureFixture[str]
OK, WRONG = Status.ACCEPTED, Status.INCORRECT


def test_a_kernel_without_a_task_shows_what_its_source_shows(
    tmp_path: Path, capsys: Captured
) -> None:
    for name, text in (("t.py", TRITON_ADD), ("m.py", TORCH_MATMUL), ("w.cu", WMMA)):
        (tmp_path / name).write_text(text)
    paths = [str(tmp_path / name) for name in ("t.py", "m.py", "w.cu")]
    assert main(["rubric", *paths, "--json"]) == 0
    found = [KernelRubric.model_validate_json(row) for row in capsys.readouterr().out.splitlines()]
    assert [one.rubric.line for one in found] == [
        "K? R2 H? P? A?",
        "K? R1 H1 P? A?",
        "K? R4 H? P? A?",
    ]
    assert found[2].rubric.reasons[2].startswith("H unknown: no binary was read; the source shows")
    assert main(["rubric", paths[0]]) == 0
    assert "R2: Triton" in capsys.readouterr().out


def test_a_record_is_placed(tmp_path: Path, capsys: Captured) -> None:
    record = tmp_path / "record.json"
    record.write_text(judgement(sample(), Settings(), OK).model_dump_json())
    assert main(["rubric", str(record)]) == 0
    text = capsys.readouterr().out
    assert "P unknown: P1 at least, as it is accepted; not timed" in text
    record.write_text(verdict().model_dump_json())
    assert main(["rubric", str(record)]) == 2
    assert "without the candidate's source" in capsys.readouterr().err
    record.write_text("{}")
    assert main(["rubric", str(record)]) == 2


def _run(folder: Path, rows: list[tuple[str, str, Status, str, float]]) -> str:
    """Task, its level, status, source and speedup over the vendor's library of each candidate."""
    settings = Settings()
    run = Run(id="run-1", suite="one task", settings=settings, assay="0.1.0", started_at=1.0)
    with RunStore(folder, create=True) as store:
        store.begin(run)
        for number, (name, level, status, text, speedup) in enumerate(rows):
            task = Task(id=name, format="native", source=f"# {name}", tags=(f"rubric:{level}",))
            made = Provenance(generator=Generator(name="G"), human_edits=0)
            plain = sample(f"{name}{number}.py", f"{text}\n# {number}\n")
            candidate = Candidate(**dict(plain) | {"provenance": made})
            entry = Entry(number=number, task=task, candidate=candidate)
            store.add(run, [entry])
            timing = TIMING.model_copy(
                update={"baseline": "vendor", "speedup": speedup, "candidate_us": 100 / speedup}
            )
            names = {"candidate": candidate.name, "candidate_id": candidate.id, "task": name}
            said = verdict(status, timing=(timing,), **names)
            judged = Judgement(
                task=task, candidate=candidate, settings=settings, observations=(), verdict=said
            )
            store.record(entry.key(settings, run.assay), judged)
    return str(folder)


def test_a_generator_gets_a_profile_of_levels_reached_together(
    tmp_path: Path, capsys: Captured
) -> None:
    rows = [
        ("gelu", "K1", OK, TRITON_ADD, 1.2),
        ("matmul", "K3", OK, TORCH_MATMUL, 0.7),
        ("matmul", "K3", WRONG, TRITON_ADD, 3.0),
    ]
    place = _run(tmp_path / "run", rows)
    assert main(["rubric", place, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    profile = RubricProfile.model_validate_json(line)
    assert profile.generator == "G" and profile.runs == ("run-1",)
    assert {one.line: (one.kernels, one.candidates) for one in profile.cells} == {
        "K3 R1 H1 P2 A4": (1, 2),
        "K1 R2 H? P4 A4": (1, 1),
    }
    assert profile.summary == "K3 R1 H1 P2 A4 by matmul1.py (matmul)"
    assert main(["rubric", place, "--kernels"]) == 0
    text = capsys.readouterr().out
    assert "0.70x the speed of the best known, vendor" in text and "on the frontier" in text


def test_older_records_are_read_anew(tmp_path: Path, capsys: Captured) -> None:
    place = stored(tmp_path / "run", [("t0", OK, 2.0, 1.0)])
    assert main(["rubric", place, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] == 1 and "by t0.py (t0)" in found["summary"]


def test_an_empty_run_is_a_mistake(tmp_path: Path, capsys: Captured) -> None:
    assert main(["rubric", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.startswith("assay:")
