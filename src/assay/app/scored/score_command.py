"""`assay score`: every score of some runs, from what is stored."""

from __future__ import annotations

import csv
import sys

from assay.app.scored.graded_runs import graded_runs
from assay.app.scored.score_flags import ScoreFlags
from assay.data.scoring.score import ScoreSheet
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.scored.score_table import score_table

_COLUMNS = "name version weighting value low high n tasks denominator reason".split()


def run(flags: ScoreFlags) -> int:
    """One sheet for each generator and device."""
    from assay.scores.grouped import groups
    from assay.scores.score_sheets import score_sheet

    if flags.json and flags.csv:
        raise UsageError("--json and --csv exclude each other")
    read = graded_runs(flags.runs, flags.attempted_only)
    found = groups(read.tasks, read.entries, flags.keep_degenerate)
    if not found:
        raise UsageError("the runs hold no candidate of a task that counts")
    sheets = [score_sheet(group, flags.family or ()) for group in found]
    if flags.csv:
        _write_csv(sheets)
        return 0
    for sheet in sheets:
        if flags.json:
            sys.stdout.write(sheet.model_dump_json() + "\n")
        else:
            result_console().print(score_table(sheet))
    return 0


def _write_csv(sheets: list[ScoreSheet]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["generator", "device", *_COLUMNS])
    for sheet in sheets:
        for score in sheet.scores:
            row = score.model_dump(mode="json")
            writer.writerow([sheet.generator, sheet.device, *(row[name] for name in _COLUMNS)])
