"""Counts the calls that were made, in a note."""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext, Observations
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import CheckSeen

NAME = "outside count"


def run(context: CheckContext) -> Observations:
    calls = sum(one.kind == "call" for one in context.seen)
    note = Evidence(
        kind=EvidenceKind.WRONG_VALUE, severity=Severity.NOTE, text=f"{calls} calls were counted"
    )
    return [CheckSeen(check=NAME, findings=(note,))]


CHECK = Check(
    CheckDeclaration(
        name=NAME,
        text="How many calls were made?",
        kinds=(EvidenceKind.WRONG_VALUE,),
        cost=Cost.NOTHING,
        most="it counts",
        stages=(CheckStage.ENDED,),
        of_wrong=True,
    ),
    run,
)
