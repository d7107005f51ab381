"""Failure explanation: how a wrong candidate is wrong, on the smallest workload on which it is.

The rule: it runs in a process of its own, after everything else, and only where it was asked for.
It changes no verdict.
"""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.observations.call import CallSeen
from assay.data.observations.observation import ExplanationSeen
from assay.exam.failure.failure_account import explain_failure
from assay.exam.failure.failure_shrinking import Shrinker


def explain_wrong(context: CheckContext) -> list[ExplanationSeen]:
    """The explanation, or why there is none."""
    wrong = any(isinstance(o, CallSeen) and o.wrong for o in context.seen)
    if not wrong or not context.settings.explain:
        return []
    shrinker = Shrinker(context.wall, context.exam, context.cache)
    try:
        if not shrinker.start(context.candidate, context.settings):
            return [ExplanationSeen(reason="it did not build a second time")]
        return [explain_failure(context.exam, shrinker, context.seen)]
    finally:
        shrinker.close()


CHECK = Check(
    CheckDeclaration(
        name="failure explanation",
        text="With --explain: on which smallest workload is it wrong, and in which elements?",
        kinds=(),
        cost=Cost.PROCESS,
        most="a second build and some dozens of calls",
        stages=(CheckStage.ENDED,),
        of_wrong=True,
    ),
    explain_wrong,
)
