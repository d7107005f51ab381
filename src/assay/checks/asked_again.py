"""Asked again: are early questions, answered or refused, met in the same way at the end?

The rule: nothing has changed but the time and the number of calls; who watches, counts or waits
answers otherwise. An exception must be a function of shape, dtype and layout alone: every workload
that raised is asked once more, after all other calls and with other values. Nothing is compared
with a truth: that a call returns is what convicts. A constructor that raised is called again, too.
"""

from __future__ import annotations

from dataclasses import replace

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallOutcome, CallSeen, CallStage
from assay.data.observations.observation import CheckMissing, Observation
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import BatchId, CallFacts, read_call
from assay.exam.script import ScriptedBatch
from assay.exam.script_runner import ScriptRunner
from assay.sandbox.host.planned_call import BatchOptions, PlannedCall, Spot
from assay.sandbox.protocol.replies import CallCode

_SPOT = Spot("asked again")


def ask_again(context: CheckContext) -> list[Observation]:
    """Both, through the script runner, which keeps the answers. Raises Lost."""
    context.script_runner.ask_again()
    ask_refused_again(context.script_runner)
    return []


def ask_refused_again(script_runner: ScriptRunner) -> None:
    """Once more what raised every time. Raises Lost."""
    skipped = 0
    for number, workload in enumerate(sorted(script_runner.refused())):
        if not script_runner.has_time:
            skipped += 1
            continue
        script_runner.observations.append(_ask(script_runner, workload, number))
    if skipped:
        text = f"{skipped} refused workloads were asked once: the candidate is too slow for more"
        missing = CheckMissing(check="repeated refusals", reason=text, essential=False)
        script_runner.observations.append(missing)


def _ask(script_runner: ScriptRunner, workload: int, number: int) -> CallSeen:
    facts = CallFacts(
        script_runner.calls_made + number, workload, batch=BatchId(CallStage.REFUSED_AGAIN, number)
    )
    instance = script_runner.exam.instance_of(workload)
    if script_runner.instances.refusal(instance) is None:
        return _call(script_runner, facts)
    refusal = script_runner.instances.construct_again(instance, script_runner.deadline())
    if refusal is None:
        return _seen(facts, CallOutcome.RETURNED)
    return _seen(facts, CallOutcome.RAISED, f"constructor: {refusal.message}"[:500])


def _call(script_runner: ScriptRunner, facts: CallFacts) -> CallSeen:
    asked = script_runner.asked_of(facts.workload)
    script_runner.begin(ScriptedBatch((asked.scripted,), copy_each=True))
    weights = script_runner.prepare(script_runner.exam.instance_of(facts.workload), None)
    planned = _planned(script_runner, asked)
    raw = script_runner.session.run([planned], BatchOptions(), script_runner.deadline()).calls[0]
    if raw.record is not None and raw.record.code == CallCode.RETURNED:
        return _seen(facts, CallOutcome.RETURNED)
    return read_call(raw, asked.expectations, replace(facts, weights=weights))


def _planned(script_runner: ScriptRunner, asked: AskedCall) -> PlannedCall:
    """Ordinary values, whatever those were that it raised on."""
    exam, workload = script_runner.exam, asked.scripted.content_key.workload
    instance, place = exam.instance_of(workload), script_runner.place(workload, _SPOT)
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
