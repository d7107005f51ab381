"""Asked again: are early questions, answered or refused, met in the same way at the end?

The rule: nothing has changed but the time and the number of calls; who watches, counts or waits
answers otherwise. An exception must be a function of shape, dtype and layout alone: every workload
that raised is asked once more, after all other calls and with other values. Nothing is compared
with a truth: that a call returns is what convicts. A constructor that raised is called again, too.
"""

from __future__ import annotations

from dataclasses import replace

from assay.checks.check import Check, CheckContext
from assay.data.call import CallOutcome, CallSeen, CallStage
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observation import CheckMissing, Observation
from assay.worker.answers import CallCode
from assay.worker.host.examiner import Examiner
from assay.worker.host.explanation import Asked
from assay.worker.host.planned_call import BatchOptions, PlannedCall, Spot
from assay.worker.host.reading import BatchId, CallFacts, read_call
from assay.worker.host.script import ScriptedBatch

_SPOT = Spot("asked again")


def ask_again(context: CheckContext) -> list[Observation]:
    """Both, through the examiner, which keeps the answers. Raises Lost."""
    context.examiner.ask_again()
    ask_refused_again(context.examiner)
    return []


def ask_refused_again(examiner: Examiner) -> None:
    """Once more what raised every time. Raises Lost."""
    skipped = 0
    for number, workload in enumerate(sorted(examiner.refused())):
        if not examiner.has_time:
            skipped += 1
            continue
        examiner.observations.append(_ask(examiner, workload, number))
    if skipped:
        text = f"{skipped} refused workloads were asked once: the candidate is too slow for more"
        missing = CheckMissing(check="repeated refusals", reason=text, essential=False)
        examiner.observations.append(missing)


def _ask(examiner: Examiner, workload: int, number: int) -> CallSeen:
    facts = CallFacts(
        examiner.calls_made + number, workload, batch=BatchId(CallStage.REFUSED_AGAIN, number)
    )
    instance = examiner.exam.instance_of(workload)
    if examiner.instances.refusal(instance) is None:
        return _call(examiner, facts)
    refusal = examiner.instances.construct_again(instance, examiner.deadline())
    if refusal is None:
        return _seen(facts, CallOutcome.RETURNED)
    return _seen(facts, CallOutcome.RAISED, f"constructor: {refusal.message}"[:500])


def _call(examiner: Examiner, facts: CallFacts) -> CallSeen:
    asked = examiner.asked_of(facts.workload)
    examiner.begin(ScriptedBatch((asked.scripted,), copy_each=True))
    weights = examiner.prepare(examiner.exam.instance_of(facts.workload), None)
    planned = _planned(examiner, asked)
    raw = examiner.session.run([planned], BatchOptions(), examiner.deadline()).calls[0]
    if raw.record is not None and raw.record.code == CallCode.RETURNED:
        return _seen(facts, CallOutcome.RETURNED)
    return read_call(raw, asked.expectations, replace(facts, weights=weights))


def _planned(examiner: Examiner, asked: Asked) -> PlannedCall:
    """Ordinary values, whatever those were that it raised on."""
    exam, workload = examiner.exam, asked.scripted.question.workload
    instance, place = exam.instance_of(workload), examiner.place(workload, _SPOT)
    return PlannedCall.judged(instance, place, exam.throw_away(workload), asked.expectations)


def _seen(facts: CallFacts, outcome: CallOutcome, message: str = "") -> CallSeen:
    return CallSeen(
        index=facts.index,
        workload=facts.workload,
        mix=facts.mix,
        outcome=outcome,
        message=message,
        stage=facts.batch.stage,
        batch=facts.batch.number,
    )


CHECK = Check(
    CheckDeclaration(
        name="asked again",
        text="Are questions that were answered or refused early met in the same way at the end?",
        kinds=(
            EvidenceKind.WRONG_VALUE,
            EvidenceKind.PHASE,
            EvidenceKind.UNSUPPORTED,
            EvidenceKind.RAISED,
        ),
        cost=Cost.CALLS,
        most="four calls, and one of each refused workload",
        stages=(CheckStage.CALLED,),
    ),
    ask_again,
)
