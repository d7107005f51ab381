"""The largest shape that fits is found from calls of smaller ones, and few of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import pytest

from assay import fitting_shape as module
from assay.data.candidate import Candidate
from assay.data.settings import Level
from assay.data.workload import Workload
from assay.exam.exam import Exam
from assay.fitting_shape import fitting_shape
from assay.run_context import RunContext
from sample_records import candidate
from support.small_exam import TASK, make_exam

LARGE = TASK.model_copy(
    update={"source": TASK.source.replace("rows = 16", "rows = 65536"), "axes": ()}
)
OVERHEAD_S = 0.01


@dataclass(frozen=True)
class Exams:
    """A bench of which the exam alone is needed."""

    exam: Exam


@pytest.fixture(scope="module")
def exam() -> Exam:
    task = Workload(axes={"rows": 65536, "cols": 32}, dtype="float32", own=True)
    return make_exam(Level.QUICK, LARGE, (task,))


def found(
    monkeypatch: pytest.MonkeyPatch, exam: Exam, seconds: Callable[[int], float | None]
) -> tuple[int | None, int]:
    """Rows of the shape that is chosen for a limit of one second, and how many were called."""
    asked = []

    def call_s(_: RunContext, __: Candidate, workload: Workload, limit_s: float) -> float | None:
        asked.append(workload.axes["rows"])
        return seconds(asked[-1])

    monkeypatch.setattr(module, "_call_s", call_s)
    chosen = fitting_shape(cast(RunContext, Exams(exam)), candidate(), 1.0)
    return (chosen.axes["rows"] if chosen else None), len(asked)


def test_a_time_that_grows_with_the_rows(monkeypatch: pytest.MonkeyPatch, exam: Exam) -> None:
    rows, calls = found(monkeypatch, exam, lambda n: OVERHEAD_S + n * 1e-3)
    assert rows is not None and 256 <= rows <= 1024 and calls < 8


def test_a_time_that_grows_with_their_square(monkeypatch: pytest.MonkeyPatch, exam: Exam) -> None:
    rows, calls = found(monkeypatch, exam, lambda n: OVERHEAD_S + n * n * 1e-6)
    assert rows is not None and 256 <= rows <= 1024 and calls < 8


def test_a_call_that_does_not_return_ends_the_search(
    monkeypatch: pytest.MonkeyPatch, exam: Exam
) -> None:
    rows, _ = found(monkeypatch, exam, lambda n: None if n > 500 else 1e-4)
    assert rows is not None and rows <= 500
    assert found(monkeypatch, exam, lambda n: None) == (None, 1)
