"""Device reading: a call that is found wrong, read again with what more the reference says.

The rule: the reference is asked there only where an answer was found wrong, since a right one needs
no excuse; each question once, and what comes of it holds for all candidates. Ordinary values of the
task's own generator are never excused.
"""

from __future__ import annotations

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen
from assay.data.workload import Distribution, Workload
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import CallFacts, read_call, tensors_of
from assay.exam.exam import Exam
from assay.exam.failure.jumps_nearby import may_have_jumped, with_jumps
from assay.exam.on_device.device_answers import DeviceAnswers
from assay.exam.workloads.selected_elements import with_selections
from assay.exam.workloads.workload_trials import PLANTED
from assay.numerics.device_doubt import doubted
from assay.sandbox.host.planned_call import Expectations
from assay.sandbox.host.raw_call import RawCall

SPECIAL = (*PLANTED, Distribution.MINUS_INF, Distribution.TIES)  # whose order nobody promises
_VALUES = (EvidenceKind.WRONG_VALUE, EvidenceKind.NON_FINITE, EvidenceKind.WRONG_BUFFER)


def read_asked(exam: Exam, raw: RawCall, asked: AskedCall, facts: CallFacts) -> CallSeen:
    """What a call shows; where its values are wrong, with what the device's reference leaves."""
    seen = read_call(raw, asked.expectations, facts)
    wrong = any(output.problem in _VALUES for output in seen.outputs)
    if not wrong:
        return with_selections(exam, seen, raw, asked)
    if may_have_jumped(seen, asked.expectations):
        seen = read_call(raw, with_jumps(exam, asked), facts)
    still = any(output.problem in _VALUES for output in seen.outputs)
    if not still or exam.device is None or not _may_be_excused(exam, raw, asked):
        return seen
    return read_call(raw, _on_device(exam, asked, exam.device), facts)


def _workload(exam: Exam, asked: AskedCall) -> Workload:
    return exam.plan.workloads[asked.scripted.content_key.workload]


def _may_be_excused(exam: Exam, raw: RawCall, asked: AskedCall) -> bool:
    """Special values; others than the own ones where something is not finite."""
    distribution = _workload(exam, asked).distribution
    if distribution in SPECIAL:
        return True
    if distribution is Distribution.OWN:
        return False
    floats = (t for t in tensors_of(raw) if t is not None and t.is_floating_point())
    return not all(bool(tensor.isfinite().all()) for tensor in floats)


def _on_device(exam: Exam, asked: AskedCall, device: DeviceAnswers) -> Expectations:
    """The expectations, once they have heard the reference on the device; kept."""
    content_key = asked.scripted.content_key
    with exam.turn:
        known = exam.expectation(content_key, asked.version)
        if any(one.doubt is not None for one in known):
            return known
        instance = exam.instance_of(content_key.workload)
        inputs, state = exam.content(content_key).inputs, exam.state(instance, asked.version)
        answers = device.answers(exam.bound(instance), inputs, state)
        special = _workload(exam, asked).distribution in SPECIAL
        found = doubted(known, answers, special)
        exam.revise(exam.key(content_key, asked.version), found)
        return found
