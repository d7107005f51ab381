from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.data.settings import Settings, Track
from assay.data.verdict import Status, Verdict
from assay.errors import TaskError, UsageError
from assay.workbench.models.apply_kernels import ApplyRequest, Expected, apply, kernels_named
from assay.workbench.models.gain_ranking import Replaced
from assay.workbench.models.hot_model import ModelFile
from assay.workbench.models.hot_report import HotReport
from sample_records import verdict
from workbench.models.test_applied_model import FORWARD, KERNEL, MODEL, PLACE, group
from workbench.models.test_gain_ranking import timing


def report_of(model: ModelFile) -> HotReport:
    return HotReport(
        model=str(model.path),
        entry="Model",
        source_id=model.source_id,
        device="cpu",
        device_name="cpu",
        torch="2",
        training=False,
        wall_us=80.0,
        wall_low_us=76.0,
        wall_high_us=84.0,
        forwards=9,
        busy_us=80.0,
        idle_share=0.0,
        limits_from="",
        groups=(group(PLACE),),
        forward=FORWARD,
    )


class ScriptedJudge:
    """Answers with a status and a speedup for each task, and keeps what it was asked."""

    def __init__(self, kernel: Status, model_speedup: float = 1.6) -> None:
        self._kernel, self._model_speedup = kernel, model_speedup
        self.asked: list[tuple[str, Settings]] = []
        self._elapsed = iter([7.0, 3.0])

    def __call__(self, task: str, candidate: Path, settings: Settings) -> Verdict:
        self.asked.append((Path(task).stem, settings))
        whole = candidate.name == "model_applied.py"
        timings = [timing("eager", self._model_speedup if whole else 4.0)]
        return verdict(
            status=Status.ACCEPTED if whole else self._kernel,
            timing=tuple(timings),
            elapsed_s=next(self._elapsed),
        )


def request_in(folder: Path) -> ApplyRequest:
    (folder / "model.py").write_text(MODEL)
    (folder / "kernel.py").write_text(KERNEL)
    model = ModelFile.named(str(folder / "model.py"))
    report = report_of(model)
    kernels = kernels_named(report, folder, [f"m_mul_relu={folder / 'kernel.py'}"])
    return ApplyRequest(model, report, kernels, Settings(), folder / "model_applied.py")


def called_once(task: Path, applied: str, kernels: int, settings: Settings) -> tuple[int, ...]:
    assert "self.eval()" in task.read_text()
    assert "class ModelNew" in applied
    return (1,) * kernels


def test_predicted_stands_beside_measured(tmp_path: Path) -> None:
    judge = ScriptedJudge(Status.ACCEPTED)
    found = apply(request_in(tmp_path), judge, count=called_once)
    assert found.predicted is not None
    assert found.predicted.speedup == pytest.approx(80 / (80 - 40 * 0.75))  # 40 us by the judge
    assert found.measured is not None
    assert found.measured.speedup == 1.6
    assert found.difference_percent == pytest.approx(0.0)
    assert found.intervals_meet is True
    assert [one.calls_seen for one in found.kernels] == [1]
    assert [(name, settings.track) for name, settings in judge.asked] == [
        ("m_mul_relu", Track.KERNEL),
        ("model_inference", Track.OPEN),
    ]
    assert (tmp_path / "model_applied.py").exists()


def test_each_kernel_has_a_clock_of_its_own(tmp_path: Path) -> None:
    found = apply(request_in(tmp_path), ScriptedJudge(Status.ACCEPTED), count=called_once)
    assert [one.seconds for one in found.kernels] == [7.0]


def test_intervals_that_do_not_overlap_are_told(tmp_path: Path) -> None:
    judge = ScriptedJudge(Status.ACCEPTED, model_speedup=0.95)
    found = apply(request_in(tmp_path), judge, count=called_once)
    assert found.intervals_meet is False
    assert found.difference_percent == pytest.approx(100 * (0.95 / 1.6 - 1))


def test_a_kernel_that_the_model_does_not_call_is_an_error(tmp_path: Path) -> None:
    judge = ScriptedJudge(Status.ACCEPTED)
    with pytest.raises(TaskError, match="m_mul_relu 0 times, not 1"):
        apply(request_in(tmp_path), judge, count=lambda *_: (0,))
    assert [name for name, _ in judge.asked] == ["m_mul_relu"]


def test_calls_that_could_not_be_counted_are_unknown_and_said_to_be_so(tmp_path: Path) -> None:
    def fails(*_: object) -> tuple[int, ...]:
        raise TaskError("no sandbox here")

    told: list[str] = []
    found = apply(request_in(tmp_path), ScriptedJudge(Status.ACCEPTED), told.append, fails)
    assert [one.calls_seen for one in found.kernels] == [None]
    assert "calls unknown: no sandbox here" in told


def test_on_a_cpu_the_time_that_passes_is_what_kernels_save_from(tmp_path: Path) -> None:
    report = request_in(tmp_path).report.model_copy(update={"busy_us": 60.0})
    found = Expected.of([Replaced(1, 40.0, 40.0, 2.0, 2.0, 2.0)], report)
    assert found.whole is not None
    assert found.whole.speedup == pytest.approx(80 / 60)
    assert found.host is None


@pytest.mark.parametrize("status", [Status.INCORRECT, Status.DISHONEST, Status.SUSPICIOUS])
def test_only_what_is_accepted_goes_into_the_model(tmp_path: Path, status: Status) -> None:
    judge = ScriptedJudge(status)
    found = apply(request_in(tmp_path), judge)
    assert found.status is None
    assert found.predicted is None
    assert found.kernels[0].speedup is None
    assert not (tmp_path / "model_applied.py").exists()
    assert len(judge.asked) == 1


def test_a_model_that_changed_since_is_refused(tmp_path: Path) -> None:
    request = request_in(tmp_path)
    (tmp_path / "model.py").write_text(MODEL + "\n# another\n")
    changed: Any = ApplyRequest(
        ModelFile.named(str(tmp_path / "model.py")),
        request.report,
        request.kernels,
        request.settings,
        request.out,
    )
    with pytest.raises(UsageError, match="has changed"):
        apply(changed, ScriptedJudge(Status.ACCEPTED))


def test_unknown_tasks_list_the_known_ones(tmp_path: Path) -> None:
    request = request_in(tmp_path)
    with pytest.raises(UsageError, match="m_mul_relu"):
        kernels_named(request.report, tmp_path, ["other=kernel.py"])
    with pytest.raises(UsageError, match="no Python file"):
        kernels_named(request.report, tmp_path, ["m_mul_relu=missing.py"])
