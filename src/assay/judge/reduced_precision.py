"""Was a smaller float than the task's used, and did it show?

The rule: the source says where operands are narrowed, the calls say what it cost. A kernel that
narrows and is right has done nothing wrong; one that is wrong elsewhere has a bug.
"""

from __future__ import annotations

from statistics import median

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.judge.judge_input import JudgeInput

_WIDE = ("float32", "float64")
_LOSSES = {EvidenceKind.WRONG_VALUE, EvidenceKind.NON_FINITE}
_NEARLY_RIGHT = 2.0**-6  # bfloat16, the coarsest of the usual ones, keeps eight bits
# A half keeps eleven bits: the mean of millions of operands is off by so much at least. What is
# less was lost in the task's own type.
_LEAST_LOST = 2.0**-22


def findings(case: JudgeInput) -> list[Evidence]:
    """Operands that were narrowed on purpose, where nearly all of the answer is right but that."""
    if case.plan is None or case.plan.workloads[0].dtype not in _WIDE:
        return []
    places = [e for e in case.told if e.kind is EvidenceKind.LOWER_PRECISION]
    wrong = [o for call in case.calls for o in call.outputs if o.problem is not None]
    noise = [o.error.noise for o in wrong if o.error and o.error.noise is not None]
    if not places or not noise or any(o.problem not in _LOSSES for o in wrong):
        return places
    lost = median(noise)
    if not _LEAST_LOST <= lost <= _NEARLY_RIGHT:
        return places
    text = (
        f"values of a {case.plan.workloads[0].dtype} task are put into a smaller float, "
        f"and it shows: the answer is off by {lost:.1g} of its size"
    )
    kind, severity = EvidenceKind.LOWER_PRECISION, Severity.CONVICTS
    return [Evidence(kind=kind, severity=severity, where=places[0].where, text=text)]
