"""Jumps nearby: an answer that is wrong in few elements, where an honest rounding may have jumped.

The rule: four probes see that a reference jumps, but not in every element that does. The maximum of
a softmax goes from one row to another where two scores are neighbours, and to the mean of both if
they are rounded to one number. So where few elements are wrong, of a reference that is known to
jump, it is probed more often, and at the jumps that are found any value between its answers is
right. What does not move stays wrong. Each question is asked so once, for all candidates.
"""

from __future__ import annotations

import copy
from dataclasses import replace

from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen, OutputSeen
from assay.exam.answer_origin import AskedCall
from assay.exam.exam import Exam
from assay.numerics.comparison import flat_parts
from assay.numerics.output_expectation import OutputExpectation
from assay.sandbox.host.planned_call import Expectations

_PROBES = 16  # a jump that half of all roundings step over is missed by one look in 30,000
_FEW = 1 / 64  # of the elements of an output
_LEAP = 0.01  # of an output's largest element
_MOST_ELEMENTS = 1 << 22  # of a call's inputs: each probe computes all of its answer


def may_have_jumped(seen: CallSeen, expectations: Expectations) -> bool:
    """Whether only values are wrong, and few of each output, of a reference that jumps."""
    wrong = [output for output in seen.outputs if output.problem is not None]
    return bool(wrong) and all(map(_is_in_few, wrong)) and any(map(_jumps, expectations))


def _jumps(one: OutputExpectation) -> bool:
    """Whether the probes carry some element of a float output far, beside the largest of them."""
    if one.budget is None or one.relief is None:
        return False
    truth = flat_parts(one.truth).nan_to_num(0.0, 0.0, 0.0)
    moved = (one.relief.values - truth[one.relief.index]).abs_().nan_to_num_(0.0, 0.0, 0.0)
    return bool(moved.numel()) and bool(moved.amax() > _LEAP * truth.abs().amax())


def _is_in_few(output: OutputSeen) -> bool:
    error = output.error
    of_value = output.problem is EvidenceKind.WRONG_VALUE and error is not None
    return of_value and error is not None and error.wrong <= max(1.0, _FEW * error.total)


def with_jumps(exam: Exam, asked: AskedCall) -> Expectations:
    """The expectations, once more probes have been heard; kept."""
    content_key = asked.scripted.content_key
    key = exam.key(content_key, asked.version)
    with exam.turn:
        known = exam.expectation(*key)
        small = exam.content(content_key).elements <= _MOST_ELEMENTS
        if not small or any(one.relief is not None and one.relief.between for one in known):
            return known
        closer = copy.copy(exam)
        closer.probes = _PROBES
        found = tuple(_between(one) for one in closer.worked_out(*key))
        if [one.name for one in found] != [one.name for one in known]:
            return known
        exam.revise(key, found)
        return found


def _between(one: OutputExpectation) -> OutputExpectation:
    if one.budget is None or one.relief is None:
        return one
    return replace(one, relief=replace(one.relief, between=True))
