"""`assay eval`: judge candidates of one task.

The rule: whatever the user could have got wrong is found before the first candidate runs.
"""

from __future__ import annotations

from contextlib import closing

from assay.app.candidates import load_candidates
from assay.app.exit_code import exit_code
from assay.app.flags import EvalFlags
from assay.app.printers import printer_for
from assay.app.record_folder import RecordFolder
from assay.app.replay import check_replayed, read_replayed
from assay.app.settings import note_ignored, settings_from
from assay.devices import registry
from assay.report.console import progress_console
from assay.report.progress import ProgressLine
from assay.tasks.catalog import resolve


def run(flags: EvalFlags) -> int:
    """Check everything, then judge, print and record one candidate after the other."""
    task = resolve(flags.task)
    candidates = load_candidates(flags.candidates)
    replayed = read_replayed(flags.replay) if flags.replay else None
    settings = settings_from(flags, replayed)
    registry.backend(settings.device)  # whether it can be used the judge process finds out
    folder = RecordFolder.at(flags.out) if flags.out else None
    if replayed is not None:
        check_replayed(replayed, task, candidates)
    note_ignored(settings)

    from assay.pipeline import evaluate_many

    printer = printer_for([c.name for c in candidates], flags.json, in_full=flags.explain)
    plan = replayed.plan if replayed else None
    statuses = []
    with ProgressLine(progress_console(), task.id) as line:
        judgements = evaluate_many(task, candidates, settings, line.show, plan)
        # Closed by hand: an interrupt between two candidates must end the processes too.
        with closing(judgements) as stream:
            for judgement in stream:
                with line.hidden():
                    printer.add(judgement.verdict)
                if folder is not None:
                    folder.write(judgement)
                statuses.append(judgement.verdict.status)
    printer.close()
    return exit_code(statuses)
