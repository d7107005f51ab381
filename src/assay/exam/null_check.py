"""Null answers of an exam: does an answer of no computation pass every workload?

The rule: asked of the truths that the exam has anyway, the smallest workload first. An ordinary
task refuses every null answer on its first or second workload, so asking costs next to nothing;
only a degenerate task is gone through to its end. What the time does not allow is not claimed:
after it only truths that are known are used, and only nulls that do not call the reference.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch

from assay.data.contract import Stochastic
from assay.data.observations.observation import NullPassed
from assay.errors import TaskError
from assay.exam.exam import ContentKey, Exam
from assay.exam.workloads.workload_trials import PLANTED
from assay.numerics.null_answers import (
    FREE_KINDS,
    Null,
    NullMaterial,
    null_answer,
    nulls_of,
    passes,
)

_PLANTED = frozenset(PLANTED)  # they move no constant
_CHEAP_ELEMENTS = 1 << 17  # beyond this only truths that are known already are used
_OTHERS = 2  # earlier inputs
_MOST_S = 3.0  # of this process's computing time


def nulls_passed(exam: Exam) -> list[NullPassed]:
    """One for the simplest null answer that passes everywhere; none where none does."""
    if isinstance(exam.reference.task.contract, Stochastic):  # an earlier draw is as good as a new
        return []
    with exam.turn:
        try:
            return _passed(exam)
        except TaskError:  # a workload that the reference cannot judge, which the exam says itself
            return []


def _passed(exam: Exam) -> list[NullPassed]:
    until_s = time.process_time() + _MOST_S
    nulls = list(nulls_of(exam.content(ContentKey(0)).inputs))
    known = exam.known()
    asked = 0
    for workload in _workloads(exam):
        if time.process_time() > until_s and exam.key(ContentKey(workload)) not in known:
            continue
        nulls = _survivors(exam, ContentKey(workload), nulls, until_s)
        asked += 1
        if not nulls:
            return []
    return [NullPassed(null=nulls[0].text, workloads=asked)] if asked else []


def _workloads(exam: Exam) -> list[int]:
    """Those whose truth is cheap or known, the smallest first."""
    known = exam.known()
    sized = []
    for number, workload in enumerate(exam.plan.workloads):
        elements = exam.content(ContentKey(number)).elements
        cheap = elements <= _CHEAP_ELEMENTS or exam.key(ContentKey(number)) in known
        if workload.distribution not in _PLANTED and elements and cheap:
            sized.append((elements, number))
    return [number for _, number in sorted(sized)]


def _survivors(
    exam: Exam, content_key: ContentKey, nulls: Sequence[Null], until_s: float
) -> list[Null]:
    """Those that are right here. An empty answer tells nothing, so all stay."""
    expectations = exam.expectation(content_key)
    if not any(torch.Size(e.shape).numel() for e in expectations):
        return list(nulls)
    around = material(exam, content_key)
    kept = []
    for null in nulls:
        if time.process_time() > until_s and null.kind not in FREE_KINDS:
            continue
        try:
            answer = null_answer(null, around)
        except TaskError:
            continue
        if answer is not None and passes(expectations, answer):
            kept.append(null)
    return kept


def material(exam: Exam, content_key: ContentKey, others: int = _OTHERS) -> NullMaterial:
    """The same weights, this question's inputs and those of the next few."""
    instance = exam.instance_of(content_key.workload)
    bound, state = exam.bound(instance), exam.state(instance)

    def call(inputs: Sequence[Any]) -> Sequence[torch.Tensor]:
        return bound(inputs, state, wide=False).tensors

    earlier = [exam.content(other).inputs for other in content_key.following(others)]
    right = [expectation.reference for expectation in exam.expectation(content_key)]
    return NullMaterial(right, exam.content(content_key).inputs, earlier, call)
