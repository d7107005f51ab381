"""The lines of a watched file's verdict."""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.verdict import Status
from assay.report.watch_text import verdict_lines
from sample_records import TIMING, WRONG, verdict

NOTE = Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text="noted")
PLACED = Evidence(
    kind=EvidenceKind.DELEGATION, severity=Severity.CONVICTS, where="kernel.py:7", text="torch.sum"
)


def test_the_answer_and_the_first_finding_with_its_place() -> None:
    judged = verdict(Status.DISHONEST, evidence=(NOTE, PLACED, WRONG))
    head, finding = (line.plain for line in verdict_lines(judged, "12:00:01"))
    assert head == "12:00:01  standard  dishonest  It is dishonest. (1.5 s)"
    assert finding.strip() == "convicts delegation  kernel.py:7: torch.sum"


def test_a_note_takes_no_line_and_a_speedup_is_in_the_first() -> None:
    (head,) = verdict_lines(verdict(evidence=(NOTE,), timing=(TIMING,)), "12:00:01")
    assert "accepted  2.00x eager  It is accepted." in head.plain
