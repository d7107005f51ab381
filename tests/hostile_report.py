"""A report of one candidate whose every text is markup with a script."""

from __future__ import annotations

from assay.data.candidate import SourceFile
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.run import Entry
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.report.html.gathered_report import GatheredReport
from assay.report.html.reproduce_commands import VerdictOrigin
from sample_records import TASK, candidate, judgement

EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)>"


def hostile_report() -> GatheredReport:
    found = Evidence(
        kind=EvidenceKind.MEMO, severity=Severity.CONVICTS, where=f"{EVIL}:1", text=EVIL
    )
    one = candidate(EVIL).model_copy(update={"sources": (SourceFile(path=EVIL, text=EVIL),)})
    made = judgement(one, Settings(), Status.DISHONEST)
    made = made.model_copy(
        update={"verdict": made.verdict.model_copy(update={"evidence": (found,), "reason": EVIL})}
    )
    report = GatheredReport(VerdictOrigin("native"), with_records=True)
    report.add(Entry(number=0, task=TASK, candidate=one), made)
    return report
