"""`assay synthesise`: sound tasks are written, others counted, none is made twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.app.main import main
from assay.audit import auditor
from assay.data.audit import AuditRecord, AuditStatus
from assay.data.settings import Level
from assay.data.synthesis import SynthesisRecord
from assay.data.task import Task

Captured = pytest.CaptureFixture[str]


def told(task: Task, status: AuditStatus) -> AuditRecord:
    return AuditRecord(
        assay="1",
        task=task.id,
        content_id=task.content_id,
        origin="",
        level=Level.QUICK,
        status=status,
        reason=f"it is {status.value}.",
        findings=(),
        flat_axes=None,
        contract_axes=None,
        untried=0,
        elapsed_s=0.0,
    )


@pytest.fixture
def audited(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks that were audited; every second one is degenerate."""
    asked: list[str] = []

    def audit(task: Task, level: Level) -> AuditRecord:
        asked.append(task.id)
        return told(task, AuditStatus.DEGENERATE if len(asked) % 2 == 0 else AuditStatus.SOUND)

    monkeypatch.setattr(auditor, "audit", audit)
    return asked


def made(text: str) -> list[SynthesisRecord]:
    return [SynthesisRecord.model_validate_json(line) for line in text.splitlines()]


def test_dropped_ones_are_recorded_and_not_written(
    audited: list[str], tmp_path: Path, capsys: Captured
) -> None:
    arguments = ["synthesise", "--count", "3", "-o", str(tmp_path)]
    assert main([*arguments, "--json"]) == 0
    records = made(capsys.readouterr().out)
    assert [one.status for one in records].count(AuditStatus.DEGENERATE) == 2
    written = sorted(one.path for one in records if one.path is not None)
    assert written == sorted(str(path) for path in tmp_path.iterdir()) and len(written) == 3


def test_the_same_seed_again_audits_nothing_that_is_there(
    audited: list[str], tmp_path: Path, capsys: Captured
) -> None:
    arguments = ["synthesise", "--count", "3", "-o", str(tmp_path)]
    assert main(arguments) == 0
    assert capsys.readouterr().out.endswith("3 written, 2 dropped: 2 degenerate\n")
    texts = {path.name: path.read_text() for path in tmp_path.iterdir()}
    written = {Path(name).stem for name in texts}
    before = len(audited)
    main(arguments)
    assert written.isdisjoint(audited[before:])
    assert texts.items() <= {p.name: p.read_text() for p in tmp_path.iterdir()}.items()


def test_what_a_file_computes_already_is_not_made_again(
    audited: list[str], tmp_path: Path, capsys: Captured
) -> None:
    assert main(["synthesise", "--count", "1", "-o", str(tmp_path)]) == 0
    (path,) = tmp_path.iterdir()
    path.rename(tmp_path / "renamed.py")
    capsys.readouterr()
    assert main(["synthesise", "--count", "1", "-o", str(tmp_path), "--json"]) == 0
    first = made(capsys.readouterr().out)[0]
    assert first.status is None and "renamed.py" in first.reason and first.path is None


def test_too_few_sound_ones_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Captured
) -> None:
    monkeypatch.setattr(auditor, "audit", lambda task, level: told(task, AuditStatus.UNUSABLE))
    assert main(["synthesise", "--count", "2", "-o", str(tmp_path)]) == 1
    assert "0 written, 8 dropped: 8 unusable" in capsys.readouterr().out


@pytest.mark.exhaustive
def test_written_tasks_are_sound(tmp_path: Path, capsys: Captured) -> None:
    assert main(["synthesise", "--count", "5", "--seed", "2", "-o", str(tmp_path)]) == 0
    assert main(["audit", f"kernelbench:{tmp_path}", "--level", "quick"]) == 0
    assert capsys.readouterr().out.endswith("5 sound of 5\n")
