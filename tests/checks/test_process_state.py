"""What differs in the process is told once; what was audited, by each of its details."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.checks.check_contract import CheckContext
from assay.checks.process_state import CHECK, compare_state
from assay.data.check import CheckStage, Execution
from assay.data.observations.observation import StateSeen
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


@pytest.mark.parametrize("execution", [Execution.CPU, Execution.DEVICE])
def test_what_timed_calls_changed_is_told(execution: Execution) -> None:
    context = _context("time.time\tpatched", stage=CheckStage.TIMED, execution=execution)
    assert CHECK.is_due(context)
    assert [one.when for one in compare_state(context)] == ["after the timing"]
