"""`assay analyse`: what explains the figures of some runs."""

from __future__ import annotations

import sys

from assay.app.scored.graded_runs import graded_runs
from assay.app.scored.score_flags import AnalyseFlags
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.scored.analysis_text import analysis_text


def run(flags: AnalyseFlags) -> int:
    """One analysis of all runs together."""
    from assay.scores.analysis.run_analysis import run_analysis

    read = graded_runs(flags.runs)
    if not read.entries:
        raise UsageError("the runs hold no candidate")
    found = run_analysis(read.names, read.tasks, read.entries, read.candidates)
    if flags.json:
        sys.stdout.write(found.model_dump_json() + "\n")
    else:
        result_console().print(analysis_text(found))
    return 0
