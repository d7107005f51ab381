"""What differs in the process is told once; what was audited, by each of its details."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

from assay.checks.check import CheckContext
from assay.checks.process_state import compare_state
from assay.data.check import CheckStage, Execution
from assay.data.observation import StateSeen
from checks.contexts import context_of


def _context(*lines: str, **options: Any) -> CheckContext:
    session = SimpleNamespace(survey=lambda deadline: list(lines))
    return context_of(cast(Any, SimpleNamespace(wrong=0, session=session)), **options)


def test_a_difference_is_told_once() -> None:
    found = compare_state(_context("time.time\tpatched", "time.time\tagain", "os.getpid\tpatched"))
    assert [(one.name, one.detail) for one in found] == [
        ("time.time", "patched"),
        ("os.getpid", "patched"),
    ]
    assert found[0].when == "after the calls"
    later = replace(_context("time.time\tpatched"), seen=tuple(found))
    assert compare_state(later) == []


def test_what_was_audited_is_told_by_each_detail() -> None:
    known = StateSeen(when="after the build", name="audit.open", detail="/etc/passwd")
    context = _context("audit.open\t/etc/passwd", "audit.open\t/etc/group")
    found = compare_state(replace(context, seen=(known,)))
    assert [one.detail for one in found] == ["/etc/group"]


def test_after_timing_it_is_asked_on_a_cpu_alone() -> None:
    patched = "threads\t1 -> 8"
    timed = {"stage": CheckStage.TIMED}
    assert compare_state(_context(patched, **timed))
    assert compare_state(_context(patched, execution=Execution.DEVICE, **timed)) == []
