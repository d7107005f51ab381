from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.limits import Peaks
from assay.devices.device_registry import backend
from assay.errors import TaskError, UsageError
from assay.tasks.catalog import resolve
from assay.workbench.models.device_limits import DeviceLimits
from assay.workbench.models.hot_model import ModelFile, Profiled, asked, ranked
from assay.workbench.models.hot_report import GroupKind, GroupWork
from assay.workbench.models.model_answer import FoundGroup, ModelAnswer

MODEL = """
import torch

rows = 64
width = 32

class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = torch.nn.Linear(width, width)
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(x + torch.tanh(self.up(x)))

def get_inputs():
    return [torch.randn(rows, width)]

def get_init_inputs():
    return [width]
"""
PEAKS = Peaks(name="p", title="p", bytes_per_s=1e9, flops_per_s={"fp32": 1e12})
LIMITS = DeviceLimits(PEAKS, "a test")


def found(
    label: str, time_us: float, nbytes: int, kind: GroupKind = GroupKind.OPERATION
) -> FoundGroup:
    return FoundGroup(
        label=label,
        kind=kind,
        calls=2,
        time_us=time_us,
        work=GroupWork(bytes=nbytes, flops={}),
        task_text=f"# {label}",
    )


def place(folder: Path) -> Profiled:
    (folder / "m.py").write_text(MODEL)
    model = ModelFile.named(str(folder / "m.py"))
    return Profiled(model, "cpu", "a cpu", accelerated=False, training=False)


def test_groups_are_ranked_by_what_a_kernel_can_gain(tmp_path: Path) -> None:
    """The longest one is at its limit: nothing is to be gained there, and no task is cut out."""
    groups = (
        found("copy", 500.0, 235_000),  # 235 us a call of 250: 94 % of the limit
        found("softmax", 300.0, 10_000),
        found("softmax", 100.0, 10_000),
        found("views", 50.0, 10, GroupKind.REST),
    )
    answer = ModelAnswer(torch="2", wall_us=(1000.0, 990.0, 1010.0), busy_us=950.0, groups=groups)
    made = ranked(answer, place(tmp_path), LIMITS, top=1)
    one, two, copy, views = made.report.groups
    assert (one.time_us, one.task) == (300.0, "m_softmax")
    assert one.gain == pytest.approx(0.3 * (1 - 20 / 300))
    assert (two.time_us, two.task) == (100.0, "")
    assert "--top" in two.task_reason
    assert copy.at_limit
    assert copy.limit_share == pytest.approx(0.94)
    assert "94 %" in copy.task_reason
    assert "--include-at-limit" in copy.task_reason
    assert views.gain == 0.0
    assert made.report.idle_share == pytest.approx(0.05)
    assert made.tasks == {"m_softmax": "# softmax"}


def test_a_group_at_its_limit_is_ranked_last_and_cut_out_where_that_is_asked_for(
    tmp_path: Path,
) -> None:
    """The copy could save 3 % of the forward, relu only 1 %; its task comes after that of relu."""
    views = found("views", 50.0, 10, GroupKind.REST)
    views = views.model_copy(update={"task_text": "", "task_reason": "nothing to compute"})
    groups = (found("copy", 500.0, 235_000), found("relu", 10.0, 10), views)
    answer = ModelAnswer(torch="2", wall_us=(1000.0,), busy_us=560.0, groups=groups)
    made = ranked(answer, place(tmp_path), LIMITS, top=8, include_at_limit=True)
    assert [one.label for one in made.report.groups] == ["relu", "copy", "views"]
    assert list(made.tasks) == ["m_relu", "m_copy"]
    assert made.report.groups[1].at_limit
    assert made.report.groups[1].task == "m_copy"
    few = ranked(answer, place(tmp_path), LIMITS, top=1, include_at_limit=True)
    assert list(few.tasks) == ["m_relu"]
    assert "--top" in few.report.groups[1].task_reason


def test_what_the_profiler_costs_is_taken_off(tmp_path: Path) -> None:
    answer = ModelAnswer(
        torch="2", wall_us=(100.0,), busy_us=200.0, groups=(found("relu", 200.0, 10),)
    )
    report = ranked(answer, place(tmp_path), LIMITS, top=1).report
    assert report.groups[0].share == pytest.approx(1.0)
    assert any("profiler" in one for one in report.advice)
    cost = answer.model_copy(update={"busy_us": 90.0, "profiler_us": 2.5})
    advice = ranked(cost, place(tmp_path), LIMITS, top=1).report.advice
    assert any("2.5 us" in one for one in advice)


def test_a_tiny_model_is_profiled_in_a_process_of_its_own(tmp_path: Path) -> None:
    where = place(tmp_path)
    answer = asked(where.model, backend("cpu"), training=False)
    assert answer.untraced == ""
    made = ranked(answer, where, LIMITS, top=8)
    by_label = {one.label: one for one in made.report.groups}
    assert {"linear", "tanh + add + layer_norm"} <= set(by_label)
    linear = by_label["linear"]
    assert linear.operations[0] in ("aten::addmm", "aten::linear", "aten::mkldnn_linear")
    assert linear.work is not None
    assert linear.work.flops == {"float32": 2 * 64 * 32 * 32}
    assert sum(one.share for one in made.report.groups) <= 1.0 + 1e-6
    written = made.write(tmp_path / "out")
    assert written.exists()
    for name in made.tasks:
        assert resolve(str(tmp_path / "out" / f"{name}.py")).entry == "Model"


def test_a_model_that_fails_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(MODEL.replace("torch.tanh", "torch.no_such_function"))
    with pytest.raises(TaskError, match="no_such_function"):
        asked(ModelFile.named(str(tmp_path / "m.py")), backend("cpu"), training=False)
    with pytest.raises(UsageError, match="cannot read"):
        ModelFile.named(str(tmp_path / "missing.py"))
    assert ModelFile.named(f"{tmp_path / 'm.py'}:Other").entry == "Other"
