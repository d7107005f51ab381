"""`assay leaderboard`: the generators of some runs, the best first."""

from __future__ import annotations

import csv
import sys

from assay.app.scored.graded_runs import graded_runs
from assay.app.scored.score_flags import LeaderboardFlags
from assay.data.scoring.score import LeaderboardRow
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.scored.leaderboard_table import column_name, leaderboard_table


def run(flags: LeaderboardFlags) -> int:
    """One row for each generator and device."""
    from assay.scores.grouped import groups
    from assay.scores.leaderboard import FAMILIES_SHOWN, leaderboard
    from assay.scores.score_sheets import score_sheet

    if flags.json and flags.csv:
        raise UsageError("--json and --csv exclude each other")
    read = graded_runs(flags.runs, flags.attempted_only)
    found = groups(read.tasks, read.entries, flags.keep_degenerate)
    if not found:
        raise UsageError("the runs hold no candidate of a task that counts")
    rows = leaderboard([score_sheet(group, FAMILIES_SHOWN) for group in found])
    if flags.csv:
        _write_csv(rows)
    elif flags.json:
        for row in rows:
            sys.stdout.write(row.model_dump_json() + "\n")
    else:
        result_console().print(leaderboard_table(rows))
    return 0


def _write_csv(rows: tuple[LeaderboardRow, ...]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    names = [column_name(score) for score in rows[0].scores]
    writer.writerow(["place", "generator", "device", "tasks", "not_attempted", "left_out", *names])
    for row in rows:
        head = [row.place, row.generator, row.device, row.tasks, row.not_attempted, row.left_out]
        writer.writerow([*head, *(score.value for score in row.scores)])
