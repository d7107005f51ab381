"""Checks as another distribution would bring them."""

from __future__ import annotations

from collections.abc import Callable

from assay.checks.check_contract import Check, CheckContext, Observations
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import CheckSeen

FINDING = Evidence(
    kind=EvidenceKind.REACHED_OUT, severity=Severity.CONVICTS, text="its answers name the judge"
)


def check(
    run: Callable[[CheckContext], Observations], stage: CheckStage = CheckStage.CALLED
) -> Check:
    declared = CheckDeclaration(
        name="of others",
        text="Does it convict?",
        kinds=(EvidenceKind.REACHED_OUT, EvidenceKind.WRONG_VALUE),
        cost=Cost.NOTHING,
        most="nothing",
        stages=(stage,),
        of_wrong=True,
    )
    return Check(declared, run)


def convict(context: CheckContext) -> Observations:
    return [CheckSeen(check="of others", findings=(FINDING,))]


def acquit(context: CheckContext) -> Observations:
    return [CheckSeen(check="of others")]


def fail(context: CheckContext) -> Observations:
    raise LookupError("no such thing")


CONVICTING = check(convict)
