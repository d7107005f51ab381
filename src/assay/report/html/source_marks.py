"""Source marks: the line of a candidate that a piece of evidence names.

The rule: a line is marked only where the evidence names a file of the candidate, as the user or the
candidate calls it, and the file has that line.
"""

from __future__ import annotations

from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import Evidence
from assay.report.html.report_data import ReportEvidence


def marked(evidence: Evidence, candidate: Candidate) -> ReportEvidence:
    """The evidence with the place that it names, where that is in the sources."""
    named, _, digits = evidence.where.rpartition(":")
    if not (digits.isascii() and digits.isdigit()):
        return ReportEvidence(found=evidence)
    for number, source in enumerate(candidate.sources):
        if named in _names(source, candidate) and 1 <= int(digits) <= _lines(source):
            return ReportEvidence(found=evidence, file=number, line=int(digits))
    return ReportEvidence(found=evidence)


def _names(source: SourceFile, candidate: Candidate) -> tuple[str, ...]:
    """A lone file is the candidate itself; the files of a folder lie below its name."""
    below = f"{candidate.name.rstrip('/')}/{source.path}"
    alone = (candidate.name,) if len(candidate.sources) == 1 else ()
    return (source.path, below, *alone)


def _lines(source: SourceFile) -> int:
    return source.text.count("\n") + 1
