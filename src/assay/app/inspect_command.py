"""`assay inspect`: read candidates without running them."""

from __future__ import annotations

import sys

from assay.app.candidates import load_candidates
from assay.app.flags import InspectFlags
from assay.data.candidate import Candidate
from assay.data.inspection import Inspection, Mention
from assay.data.settings import Settings, Track
from assay.guard.rubric import rubric
from assay.guard.source import analyse, findings
from assay.report.console import result_console
from assay.report.inspection import inspection_page


def run(flags: InspectFlags) -> int:
    """Print one inspection a candidate."""
    track = Track(flags.track or Settings().track)
    for candidate in load_candidates(flags.candidates):
        inspection = inspect(candidate, track)
        if flags.json:
            sys.stdout.write(inspection.model_dump_json() + "\n")
        else:
            result_console().print(inspection_page(inspection))
        sys.stdout.flush()
    return 0


def inspect(candidate: Candidate, track: Track) -> Inspection:
    """What the source alone shows, by the rules of a track."""
    report = analyse(candidate)
    return Inspection(
        candidate=candidate.name,
        candidate_id=candidate.id,
        language=candidate.language,
        entry=candidate.entry,
        files=tuple(file.path for file in candidate.sources),
        readable=report.readable,
        complete=report.complete and not report.opaque,
        kernels=tuple(Mention(name=seen.name, where=seen.where) for seen in report.kernels),
        launches=tuple(Mention(name=seen.name, where=seen.where) for seen in report.launches),
        library_calls=tuple(Mention(name=tag.name, where=tag.where) for tag in report.computed),
        evidence=findings(report, track),
        rubric=rubric(candidate),
    )
