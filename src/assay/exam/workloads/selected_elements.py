"""Selected elements: outputs that hold given numbers and nothing else: a copy, a sort, a maximum.

The rule: where the reference only chooses among numbers it was given, nothing is rounded, and an
answer is right where it is equal. An error budget is for arithmetic: within one a copy could lose
its last bit, or its subnormal numbers. A task is such where its own call is; a call is held to it
only where it is one itself, because a clamped scale may be one in some calls and not in others.
Numbers of 16 bits are few: many of them are given by chance. So their neighbours are looked for,
too, and nothing is held to equality that would be there by chance more often than once in 10^6.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import torch

from assay.data.contract import Stochastic
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallSeen, ErrorSummary, OutputSeen
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import returned
from assay.exam.exam import ContentKey, Exam
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.numerics.output_expectation import OutputExpectation
from assay.sandbox.host.raw_call import RawCall
from assay.tasks.references.reference import Reference

_SAMPLE = 512  # elements of a result that are looked for among the inputs
_LEAST = 16  # distinct elements other than zero: fewer may be there by chance
_CHANCE = 1e-6  # that all are there although they were computed
_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}  # by bytes of a number

_known: WeakKeyDictionary[Reference, tuple[bool, ...]] = WeakKeyDictionary()
_choosing: WeakKeyDictionary[Reference, dict[object, tuple[bool, ...]]] = WeakKeyDictionary()


def with_selections(exam: Exam, seen: CallSeen, raw: RawCall, asked: AskedCall) -> CallSeen:
    """A call whose outputs are within their budgets, held to equality where they only choose."""
    chosen = selecting_outputs(exam)
    if not any(chosen) or any(output.problem for output in seen.outputs):
        return seen
    outputs = list(seen.outputs)
    wanted = returned(asked.expectations)
    found = zip(wanted, raw.outputs, chosen, _of_call(exam, asked, wanted), strict=False)
    for number, (expected, output, task_selects, call_selects) in enumerate(found):
        if task_selects and call_selects and output.tensor is not None:
            outputs[number] = _compared(outputs[number], expected, output.tensor)
    return seen.model_copy(update={"outputs": tuple(outputs)})


def _of_call(exam: Exam, asked: AskedCall, wanted: Sequence[OutputExpectation]) -> tuple[bool, ...]:
    """Of each output of a call the same; kept, as a question is asked of many and often."""
    key = asked.scripted.content_key
    known = _choosing.setdefault(exam.reference, {})
    question = exam.plan.secret, exam.plan.drawn_for, exam.key(key, asked.version)
    if question not in known:
        given = _given(exam, key, asked)
        known[question] = tuple(_chooses(expected, given) for expected in wanted)
    return known[question]


def selecting_outputs(exam: Exam) -> tuple[bool, ...]:
    """Of each output of the own call, whether it holds elements of the inputs alone."""
    if exam.reference not in _known:
        random = isinstance(exam.reference.task.contract, Stochastic)
        _known[exam.reference] = () if random else _of_own_call(exam)
    return _known[exam.reference]


def _of_own_call(exam: Exam) -> tuple[bool, ...]:
    key = ContentKey(0)
    given = _given(exam, key, None)
    return tuple(_chooses(expected, given) for expected in returned(exam.expectation(key)))


def _given(exam: Exam, key: ContentKey, asked: AskedCall | None) -> torch.Tensor:
    """The floating-point numbers that a call may take its answer from, and zero."""
    state = exam.state(exam.instance_of(key.workload), asked.version if asked else FIRST_WEIGHTS)
    tensors: Sequence[torch.Tensor] = (*exam.content(key).tensors, *state.values())
    floats = [t.detach().reshape(-1).double() for t in tensors if t.is_floating_point()]
    return torch.cat([*floats, torch.zeros(1, dtype=torch.float64)])


def _chooses(expected: OutputExpectation, given: torch.Tensor) -> bool:
    """Whether a sample of the reference's answer consists of given numbers."""
    answer = expected.reference
    plain = answer.is_floating_point() and expected.equations is None
    if not plain or expected.non_finite is not None or answer.numel() < _LEAST:
        return False
    step = max(1, answer.numel() // _SAMPLE)
    sample = answer.detach().reshape(-1)[::step]
    distinct = sample[sample != 0.0].double().unique()
    if len(distinct) < _LEAST or not bool(_among(distinct, given).all()):
        return False
    beside = _neighbours(distinct.to(answer.dtype)).double().unique()
    by_chance = float(_among(beside, given).double().mean())
    return by_chance ** len(distinct) < _CHANCE


def _neighbours(numbers: torch.Tensor) -> torch.Tensor:
    """The next number on either side of each, of the same type."""
    bits = numbers.view(_BITS[numbers.element_size()])
    return torch.cat([(bits + step).view(numbers.dtype) for step in (-1, 1)])


def _among(distinct: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
    """Which of the sorted numbers are given: few are searched for many, not the reverse."""
    places = torch.searchsorted(distinct, given).clamp_(max=len(distinct) - 1)
    found = torch.zeros(len(distinct), dtype=torch.bool)
    found[places[distinct[places] == given]] = True
    return found


def _compared(seen: OutputSeen, expected: OutputExpectation, actual: torch.Tensor) -> OutputSeen:
    got, wanted = actual.reshape(-1), expected.reference.reshape(-1)
    wrong = (got != wanted) & ~(got.isnan() & wanted.isnan())
    count = int(wrong.sum())
    if not count:
        return seen
    first = int(wrong.nonzero()[0])
    text = (
        f"got {got[first].item()!r}, expected {wanted[first].item()!r}: the task only chooses "
        "among numbers that it is given, so none is rounded"
    )
    error = ErrorSummary(
        budget_used=None, p999=None, wrong=count, total=got.numel(), where=f"[{first}]", text=text
    )
    kind = EvidenceKind.WRONG_VALUE
    return seen.model_copy(update={"problem": kind, "error": error, "detail": text})
