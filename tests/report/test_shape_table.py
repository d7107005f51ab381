"""Times of other shapes on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from assay.data.observations.measurement import ShapeTime
from assay.data.workload import Category
from assay.report.terminal import print_verdict
from sample_records import TIMING, verdict

TINY = ShapeTime(
    category=Category.TINY,
    axes={"rows": 3, "cols": 5},
    candidate_us=2.0,
    baseline_us=4.0,
    speedup=2.0,
    speedup_low=1.9,
    speedup_high=2.1,
    method="outside",
)
SQUARE = ShapeTime(category=Category.SQUARE, reason="it did not answer this shape")


def _shown(**changes: object) -> str:
    text = io.StringIO()
    print_verdict(Console(file=text, width=200), verdict(timing=(TIMING,), **changes))
    return text.getvalue()


def test_a_row_a_category_and_how_much_they_vary() -> None:
    shown = _shown(shape_times=(TINY, SQUARE), speedup_cv=0.25, speedup_cv_n=2)
    assert "rows=3 cols=5   2.00x [1.90 2.10] 2.00 us against 4.00 us" in shown
    assert "not timed: it did not answer this shape" in shown
    assert "coefficient of variation of the speedup 0.25, over 2 of 2 categories" in shown


def test_one_speedup_has_no_variation() -> None:
    assert "no coefficient of variation" in _shown(shape_times=(TINY,), speedup_cv_n=1)


def test_nothing_is_shown_where_it_was_not_asked_for() -> None:
    assert "variation" not in _shown()
