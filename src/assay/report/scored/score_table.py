"""Scores as a table: each with its interval, its denominator and, without a value, the reason."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from assay.data.scoring.score import Score, ScoreSheet, Weighting
from assay.report.headed_table import HeadedTable

_MOST_FACTORS = 4


def score_table(sheet: ScoreSheet) -> RenderableType:
    """The sheet of one generator on one device."""
    table = HeadedTable()
    for name, side in (("score", "left"), ("value", "right"), ("95 %", "left")):
        table.add_column(name, justify="right" if side == "right" else "left")
    table.add_column("x coverage", justify="right")
    table.add_column("of")
    covered = {s.name: s for s in sheet.scores if s.weighting is Weighting.COVERAGE}
    for score in sheet.scores:
        if score.weighting is Weighting.PUBLISHED:
            table.add_row(*_cells(score, covered.get(score.name)))
    return Group(Text(_head(sheet)), *(Text(line) for line in _notes(sheet)), table)


def _head(sheet: ScoreSheet) -> str:
    tried = sheet.tasks - sheet.not_attempted
    words = f"{sheet.generator or 'unnamed'} on {sheet.device or 'no device yet'}: "
    words += f"{sheet.entries} candidates of {tried} tasks"
    if sheet.not_attempted:
        words += f"; {sheet.not_attempted} of {sheet.tasks} tasks not attempted, counted as failed"
    return words


def _notes(sheet: ScoreSheet) -> list[str]:
    counts = ", ".join(f"{status} {count}" for status, count in sheet.statuses.items())
    left = [f"left out: {count} tasks ({why})" for why, count in sheet.left_out.items()]
    return [f"  {counts}", *(f"  {line}" for line in left)]


def _cells(score: Score, covered: Score | None) -> list[str]:
    weighted = "" if covered is None else figure(covered.value)
    if score.value is None:
        return [score.name, "unknown", "", weighted, score.reason]
    interval = "" if score.low is None else f"[{figure(score.low)} {figure(score.high)}]"
    return [score.name, figure(score.value), interval, weighted, _of(score)]


def _of(score: Score) -> str:
    """The denominator, and the factors of a composite; points of a curve are for `--json`."""
    if not 0 < len(score.parts) <= _MOST_FACTORS:
        return score.denominator
    factors = ", ".join(f"{name} {figure(value)}" for name, value in score.parts.items())
    return f"{score.denominator}; {factors}"


def figure(value: float | None) -> str:
    """Three digits after the point for small figures, four significant for large ones."""
    if value is None:
        return "unknown"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
