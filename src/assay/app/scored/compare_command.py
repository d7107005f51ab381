"""`assay compare`: two runs, or two generators, task by task."""

from __future__ import annotations

import sys

from assay.app.scored.graded_runs import GradedRuns, graded_runs
from assay.app.scored.score_flags import CompareFlags
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.scored.analysis_text import comparison_text
from assay.scores.graded import Graded


def run(flags: CompareFlags) -> int:
    """One comparison of everything that the two sides have in common."""
    from assay.scores.analysis.paired import compared
    from assay.scores.grouped import groups

    named = flags.generator or []
    if len(named) > 2 or (flags.second is None and len(named) < 2):
        raise UsageError("compare two runs, or two generators: assay compare RUN --generator A ...")
    pair = (named[0], named[-1]) if named else ("", "")
    runs = (flags.first, flags.second or flags.first)
    sides = [graded_runs([one], flags.attempted_only) for one in runs]
    entries = [_of(side, name) for side, name in zip(sides, pair, strict=True)]
    known = {task.name: task for side in sides for task in side.tasks}
    counted = groups(known.values(), [*sides[0].entries, *sides[1].entries])
    tasks = counted[0].tasks if counted else ()
    found = compared(_names(flags, pair, sides), tasks, entries[0], entries[1])
    if flags.json:
        sys.stdout.write(found.model_dump_json() + "\n")
    else:
        result_console().print(comparison_text(found))
    return 0


def _of(side: GradedRuns, generator: str) -> list[Graded]:
    """The entries of the generator; an unknown one lists the known."""
    found = [one for one in side.entries if not generator or one.generator == generator]
    if not found:
        known = ", ".join(sorted({one.generator for one in side.entries if one.generator}))
        raise UsageError(f"no candidate is by '{generator}'; known generators: {known or 'none'}")
    return found


def _names(flags: CompareFlags, pair: tuple[str, str], sides: list[GradedRuns]) -> tuple[str, str]:
    """Generators where they differ, else what the user typed."""
    if pair[0] != pair[1]:
        return pair
    generators = [{one.generator for one in side.entries} for side in sides]
    alone = [next(iter(names)) if len(names) == 1 else "" for names in generators]
    if all(alone) and alone[0] != alone[1]:
        return alone[0], alone[1]
    return flags.first, flags.second or flags.first
