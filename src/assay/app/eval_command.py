"""`assay eval`: judge candidates of one task.

The rule: whatever the user could have got wrong is found before the first candidate runs.

The exit code of many verdicts: the gravest one decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import TYPE_CHECKING

from assay.app.candidates import load_candidates
from assay.app.flag_settings import note, settings_from
from assay.app.flags import EvalFlags
from assay.app.printers import printer_for
from assay.app.record_folder import RecordFolder
from assay.app.replay import check_replayed, read_replayed
from assay.data.verdict import Status
from assay.devices import device_registry
from assay.report.console import progress_console
from assay.report.progress_display import ProgressLine
from assay.tasks.catalog import resolve

if TYPE_CHECKING:
    from assay.app.report_files import HtmlReport


def exit_code(statuses: Iterable[Status]) -> int:
    """0 every candidate accepted, 3 where we failed ourselves (`not_run`), else 1."""
    seen = set(statuses)
    if Status.NOT_RUN in seen:
        return 3
    return 0 if seen == {Status.ACCEPTED} else 1


def run(flags: EvalFlags) -> int:
    """Check everything, then judge, print and record one candidate after the other."""
    task = resolve(flags.task)
    candidates = load_candidates(flags.candidates, task)
    replayed = read_replayed(flags.replay) if flags.replay else None
    settings = settings_from(flags, replayed)
    device_registry.backend(settings.device)  # whether it can be used the judge process finds out
    folder = RecordFolder.at(flags.out) if flags.out else None
    report = _report(flags) if flags.html else None
    if replayed is not None:
        check_replayed(replayed, task, candidates)

    from assay.engine.daemon.daemon_client import Asked, evaluations

    printer = printer_for([c.name for c in candidates], flags.json, in_full=flags.explain)
    plan = replayed.plan if replayed else None
    statuses = []
    with ProgressLine(progress_console(), task.id) as line:
        asked = Asked(task, candidates, settings, plan)
        judgements = evaluations(asked, line.show, note, wanted=not flags.no_daemon)
        # Closed by hand: an interrupt between two candidates must end the processes too.
        with closing(judgements) as stream:
            for judgement in stream:
                with line.hidden():
                    printer.add(judgement.verdict)
                if folder is not None:
                    folder.write(judgement)
                if report is not None:
                    report.add(judgement)
                statuses.append(judgement.verdict.status)
    printer.close()
    if report is not None:
        report.write(f"Task {task.id}")
    return exit_code(statuses)


def _report(flags: EvalFlags) -> HtmlReport:
    """Imported here: a report is seldom asked for, and costs a third of the command's imports."""
    from assay.app.report_files import HtmlReport

    assert flags.html is not None
    return HtmlReport.at(flags.html, flags.task)
