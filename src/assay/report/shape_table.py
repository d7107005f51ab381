"""Times of other shapes on a terminal: one row a category, then how much the speedups vary."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from assay.data.observations.measurement import ShapeTime
from assay.data.verdict import Verdict
from assay.report import words
from assay.report.terminal_layout import Columns, indented


def shape_parts(verdict: Verdict) -> list[RenderableType]:
    """The table and its closing line; nothing where shapes were not asked for."""
    if verdict.shape_times is None:
        return []
    table = Columns(indent=2)
    for one in verdict.shape_times:
        sizes = " ".join(f"{name}={size}" for name, size in one.axes.items())
        table.add_row(one.category.value, sizes, _times(one))
    return [table, indented(Text(_variation(verdict)))]


def _times(one: ShapeTime) -> str:
    if one.speedup is None or one.candidate_us is None or one.baseline_us is None:
        return f"not timed: {one.reason}"
    interval = f"[{one.speedup_low:.2f} {one.speedup_high:.2f}]"
    sides = f"{words.microseconds(one.candidate_us)} against {words.microseconds(one.baseline_us)}"
    return f"{one.speedup:.2f}x {interval} {sides}"


def _variation(verdict: Verdict) -> str:
    asked = len(verdict.shape_times or ())
    timed = f"{verdict.speedup_cv_n} of {asked} categories of shapes"
    if verdict.speedup_cv is None:
        return f"speedup known for {timed}: no coefficient of variation"
    return f"coefficient of variation of the speedup {verdict.speedup_cv:.2f}, over {timed}"
