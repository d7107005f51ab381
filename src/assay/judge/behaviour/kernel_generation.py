"""Generated kernels: what a compiler of the library wrote at build or run time.

The rule: on the track `kernel` it convicts, on `mixed` it is noted, on `open` nothing is said.
Source that the candidate hands in as text is its own, whoever wrote it first: then nothing is
generated while it is judged. The count of the child is testimony, the files were read from outside;
either convicts.
"""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import GeneratedSeen, StateSeen
from assay.data.settings import Track
from assay.judge.judge_input import JudgeInput

COUNTED = "inductor.generated_kernels"  # a line of the child's survey, with their number


def findings(case: JudgeInput) -> list[Evidence]:
    """What was generated for a candidate on its track."""
    track = case.settings.track
    if track is Track.OPEN:
        return []
    severity = Severity.CONVICTS if track is Track.KERNEL else Severity.NOTE
    found = [_unread(seen.reason) for seen in case.seen(GeneratedSeen) if seen.reason]
    files = [path for seen in case.seen(GeneratedSeen) for path in seen.files]
    if files:
        text = f"torch's Inductor wrote code for it, such as {files[0]}: the work is a compiler's"
        found.append(_generated(severity, text))
    counted = [seen.detail for seen in case.seen(StateSeen) if seen.name == COUNTED]
    if counted and not files:
        text = f"torch's Inductor counts {counted[-1]} kernels that it wrote for the candidate"
        found.append(_generated(severity, text))
    return found


def _generated(severity: Severity, text: str) -> Evidence:
    return Evidence(kind=EvidenceKind.GENERATED_KERNEL, severity=severity, text=text)


def _unread(reason: str) -> Evidence:
    text = f"generated code could not be looked for: {reason}"
    return Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text)
