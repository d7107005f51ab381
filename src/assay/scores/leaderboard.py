"""Leaderboard: generators in the order of what they solve.

The rule: share of tasks solved by coverage first, then solved and faster than the baseline; a tie
shares its place, and no figure stands without its denominator.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.scoring.score import LeaderboardRow, Score, ScoreSheet, Weighting

SOLVED, FASTER = "kernelgenbench.accuracy", "kernelbench.fast_1"
COLUMNS = (
    (SOLVED, Weighting.PUBLISHED),
    (SOLVED, Weighting.COVERAGE),
    (FASTER, Weighting.PUBLISHED),
    ("kernelgenbench.speedup", Weighting.PUBLISHED),
    ("assay.dishonest", Weighting.PUBLISHED),
    ("assay.suspicious", Weighting.PUBLISHED),
    ("kernelgenbench.dollars_per_success", Weighting.PUBLISHED),
    ("kernelgenbench.tokens_per_success", Weighting.PUBLISHED),
)
FAMILIES_SHOWN = ("kernelgenbench", "kernelbench", "assay")


def leaderboard(sheets: Sequence[ScoreSheet]) -> tuple[LeaderboardRow, ...]:
    """One row a sheet, the best first."""
    ranked = sorted(((_key(sheet), sheet) for sheet in sheets), key=lambda pair: pair[0])
    keys = [key for key, _ in ranked]
    return tuple(
        LeaderboardRow(
            place=1 + keys.index(key),
            generator=sheet.generator,
            device=sheet.device,
            tasks=sheet.tasks,
            not_attempted=sheet.not_attempted,
            left_out=sum(sheet.left_out.values()),
            entries=sheet.entries,
            scores=tuple(_scores(sheet)[name] for name in COLUMNS),
        )
        for key, sheet in ranked
    )


def _scores(sheet: ScoreSheet) -> dict[tuple[str, Weighting], Score]:
    return {(score.name, score.weighting): score for score in sheet.scores}


def _key(sheet: ScoreSheet) -> tuple[float, float]:
    found = _scores(sheet)
    return -(found[COLUMNS[1]].value or 0.0), -(found[COLUMNS[2]].value or 0.0)
