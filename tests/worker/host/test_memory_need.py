"""What a task needs is foreseen from its shapes, and said before it is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import HostError
from assay.tasks.reference import Reference
from assay.worker.host import memory_need
from assay.worker.host.memory_need import free_bytes, needed_bytes, require_memory
from worker.host.small_exam import TASK

HUGE = TASK.source.replace("rows = 16", "rows = 4096").replace("cols = 32", "cols = 393216")


def test_a_small_task_needs_little() -> None:
    reference = Reference(TASK)
    assert 0 < needed_bytes(reference) < 1 << 20
    require_memory(reference)


def test_a_huge_one_is_turned_down_before_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = Reference(TASK.model_copy(update={"source": HUGE, "axes": ()}))
    assert needed_bytes(reference) > 100 << 30
    monkeypatch.setattr(memory_need, "free_bytes", lambda: 24 << 30)
    with pytest.raises(HostError, match="GiB of memory, and 24 GiB are free"):
        require_memory(reference)
    monkeypatch.setattr(memory_need, "free_bytes", lambda: None)
    require_memory(reference)


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
