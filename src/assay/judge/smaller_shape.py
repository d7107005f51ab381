"""Scaled: was the task's own workload asked as it is, or at a smaller shape?

The rule: a smaller shape is said wherever the verdict is read: in its field, its sentence and its
evidence, with both shapes.
"""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import FullShapeSeen, ScaledSeen
from assay.data.verdict import OwnWorkload
from assay.judge.judge_input import JudgeInput


def own_workload(case: JudgeInput) -> OwnWorkload:
    """Which of the two."""
    return OwnWorkload.SCALED if _seen(case) is not None else OwnWorkload.ASKED


def remark(case: JudgeInput) -> str:
    """What is added to the verdict's sentence; nothing where the own shape was asked."""
    seen = _seen(case)
    return "" if seen is None else f" (own workload scaled: {seen.text})"


def findings(case: JudgeInput) -> list[Evidence]:
    """One note with both shapes and the reason."""
    seen, full = _seen(case), next(iter(case.seen(FullShapeSeen)), None)
    if seen is None:
        return [] if full is None else [_full(full)]
    text = f"the own workload was asked at a smaller shape: {seen.text}: {seen.reason}"
    return [Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text)]


def _full(seen: FullShapeSeen) -> Evidence:
    """How the own shape was judged that the plan does not hold."""
    cut = "whole" if seen.axis is None else f"in {seen.blocks} blocks of {seen.axis}"
    text = f"the own shape was asked on the device and judged {cut}; other calls had a smaller one"
    return Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text)


def _seen(case: JudgeInput) -> ScaledSeen | None:
    return next(iter(case.seen(ScaledSeen)), None)
