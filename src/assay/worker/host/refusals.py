"""Refusals asked again: is an exception a function of shape, dtype and layout alone?

The rule: every workload that raised is asked once more, after all other calls and with other
values. Nothing is compared with a truth: that a call returns is what convicts. A constructor that
raised is called again, too.
"""

from __future__ import annotations

from assay.data.call import CallOutcome, CallSeen, Mix
from assay.data.observation import CheckMissing
from assay.worker.answers import CallCode
from assay.worker.host.examiner import Examiner
from assay.worker.host.explanation import Asked
from assay.worker.host.planned_call import BatchOptions, PlannedCall, Spot
from assay.worker.host.reading import (
    CallFacts,
    buffer_names,
    output_bytes,
    read_call,
    update_positions,
)
from assay.worker.host.script import ScriptedBatch

_FIRST_BATCH = 30_000  # a number that no other batch has
_SPOT = Spot("asked again")


def ask_refused_again(examiner: Examiner) -> None:
    """Once more what raised every time. Raises Lost."""
    skipped = 0
    for number, workload in enumerate(sorted(examiner.refused())):
        if not examiner.has_time:
            skipped += 1
            continue
        examiner.observations.append(_ask(examiner, workload, _FIRST_BATCH + number))
    if skipped:
        text = f"{skipped} refused workloads were asked once: the candidate is too slow for more"
        missing = CheckMissing(check="repeated refusals", reason=text, essential=False)
        examiner.observations.append(missing)


def _ask(examiner: Examiner, workload: int, number: int) -> CallSeen:
    instance = examiner.exam.instance_of(workload)
    if examiner.instances.refusal(instance) is not None:
        refusal = examiner.instances.construct_again(instance, examiner.deadline())
        outcome = CallOutcome.RETURNED if refusal is None else CallOutcome.RAISED
        message = "" if refusal is None else f"constructor: {refusal.message}"[:500]
        return _seen(workload, number, outcome, message)
    return _call(examiner, workload, number)


def _call(examiner: Examiner, workload: int, number: int) -> CallSeen:
    asked = examiner.asked_of(workload)
    examiner.begin(ScriptedBatch((asked.scripted,), copy_each=True))
    version = examiner.prepare(examiner.exam.instance_of(workload), None)
    planned = _planned(examiner, asked)
    raw = examiner.session.run([planned], BatchOptions(), examiner.deadline()).calls[0]
    if raw.record is not None and raw.record.code == CallCode.RETURNED:
        return _seen(workload, number, CallOutcome.RETURNED)
    facts = CallFacts(number, workload, Mix.PLAIN, number, 1, version)
    return read_call(raw, asked.expectations, facts)


def _planned(examiner: Examiner, asked: Asked) -> PlannedCall:
    """Ordinary values, whatever those were that it raised on."""
    workload = asked.scripted.question.workload
    return PlannedCall(
        instance=examiner.exam.instance_of(workload),
        place=examiner.place(workload, _SPOT),
        content=examiner.exam.throw_away(workload),
        output_bytes=output_bytes(asked.expectations),
        buffers=buffer_names(asked.expectations),
        updates=update_positions(asked.expectations),
    )


def _seen(workload: int, number: int, outcome: CallOutcome, message: str = "") -> CallSeen:
    return CallSeen(
        index=number,
        workload=workload,
        mix=Mix.PLAIN,
        outcome=outcome,
        message=message,
        batch=number,
    )
