"""What a task needs is foreseen from its shapes, and said before it is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import HostError
from assay.exam import memory_need
from assay.exam.memory_need import alike, free_bytes, needed_bytes, scaled, within_memory
from assay.tasks.references.reference import Reference
from support.small_exam import TASK

HUGE = TASK.source.replace("rows = 16", "rows = 4096").replace("cols = 32", "cols = 393216")

WIDE = """
import torch
from torch import nn

rows = 16
features = 32768


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        return self.linear(x)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
"""


def huge() -> Reference:
    return Reference(TASK.model_copy(update={"source": HUGE, "axes": ()}))


def test_a_small_task_stays_as_it_is() -> None:
    reference = Reference(TASK)
    assert 0 < needed_bytes(reference, reference.own_axes) < 1 << 20
    own = within_memory(reference)
    assert own == reference.own_workload() and scaled(reference, own) is None


def test_a_huge_one_gets_a_smaller_batch_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = huge()
    assert needed_bytes(reference, reference.own_axes) > 100 << 30
    monkeypatch.setattr(memory_need, "free_bytes", lambda: 24 << 30)
    own = within_memory(reference)
    assert own.own and own.axes == {"rows": 128, "cols": 393216}
    found = scaled(reference, own)
    assert found is not None and found.text == "rows=128 instead of 4096"
    assert "memory" in found.reason
    monkeypatch.setattr(memory_need, "free_bytes", lambda: 1 << 20)
    assert within_memory(reference).axes["rows"] == 1
    assert within_memory(reference).axes["cols"] < 5000


def test_weights_do_not_shrink_with_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_need, "free_bytes", lambda: 24 << 30)
    reference = Reference(TASK.model_copy(update={"source": WIDE, "axes": ()}))
    own = within_memory(reference)
    assert own.axes["rows"] == 16
    assert needed_bytes(reference, own.axes) <= 12 << 30
    other = reference.own_workload().model_copy(update={"axes": {**reference.own_axes, "rows": 3}})
    assert alike(reference, other, own).axes == {**own.axes, "rows": 3}
    small = {name: min(n, 64) for name, n in other.axes.items()}
    light = other.model_copy(update={"axes": small})
    assert alike(reference, light, own) == light


def test_where_nobody_knows_what_is_free_nothing_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_need, "free_bytes", lambda: None)
    assert within_memory(huge()).axes["rows"] == 4096


def test_no_memory_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_need, "free_bytes", lambda: 8)
    with pytest.raises(HostError, match="more memory than there is"):
        within_memory(huge())


def test_a_containers_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meminfo, group = tmp_path / "meminfo", tmp_path / "group"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    2048 kB\n")
    group.mkdir()
    monkeypatch.setattr(memory_need, "_MEMINFO", meminfo)
    monkeypatch.setattr(memory_need, "_GROUP", group)
    assert free_bytes() == 2 << 20
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("5\n")
    assert free_bytes() == 2 << 20
    (group / "memory.max").write_text("1005\n")
    assert free_bytes() == 1000
    meminfo.unlink()
    (group / "memory.max").unlink()
    assert free_bytes() is None
