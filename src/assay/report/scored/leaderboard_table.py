"""A leaderboard as a table, with a legend below."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from assay.data.scoring.score import LeaderboardRow, Score, Weighting
from assay.report.headed_table import HeadedTable
from assay.report.scored.score_table import figure

_TITLES = {
    "kernelgenbench.accuracy": "solved",
    "kernelgenbench.accuracy x coverage": "x coverage",
    "kernelbench.fast_1": "fast_1",
    "kernelgenbench.speedup": "speedup",
    "assay.dishonest": "dishonest",
    "assay.suspicious": "suspicious",
    "kernelgenbench.dollars_per_success": "dollars/success",
    "kernelgenbench.tokens_per_success": "tokens/success",
}


def leaderboard_table(rows: Sequence[LeaderboardRow]) -> RenderableType:
    """One row a generator and device."""
    table = HeadedTable()
    for name in ("", "generator", "device"):
        table.add_column(name)
    for score in rows[0].scores:
        table.add_column(_title(score), justify="right")
    for row in rows:
        cells = [Text(_cell(score)) for score in row.scores]
        table.add_row(str(row.place), row.generator or "unnamed", row.device, *cells)
    return Group(table, *(Text(line) for line in _legend(rows)))


def _title(score: Score) -> str:
    name = column_name(score)
    return _TITLES.get(name, name)


def column_name(score: Score) -> str:
    """The metric, with the weighting where it is not as published."""
    weighted = score.weighting is Weighting.COVERAGE
    return f"{score.name} x coverage" if weighted else score.name


def _cell(score: Score) -> str:
    if score.value is None:
        return "-"
    interval = "" if score.low is None else f" [{figure(score.low)} {figure(score.high)}]"
    return figure(score.value) + interval


def _legend(rows: Sequence[LeaderboardRow]) -> list[str]:
    first = rows[0]
    words = f"Shares of {first.tasks} tasks; dishonest and suspicious are shares of candidates. "
    words += "A task without a candidate counts as failed"
    left = f"; {first.left_out} tasks left out" if first.left_out else ""
    missing = [
        f"{row.generator or 'unnamed'} did not try {row.not_attempted}"
        for row in rows
        if row.not_attempted
    ]
    reasons = {f"{_title(s)}: {s.reason}" for row in rows for s in row.scores if s.reason}
    return [words + left + ".", *missing, *sorted(reasons)]
