"""Failure account: from the wrong calls of an exam to an explanation.

The rule: the pattern is read where the failure was first seen again, because a single element shows
none; the elements are shown on the smallest workload, because there a person can follow them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch

from assay.data.observations.call import CallOutcome, CallSeen, OutputSeen
from assay.data.observations.explanation import Explanation, PatternKind, WrongElement
from assay.data.observations.observation import ExplanationSeen, Observation
from assay.data.workload import Distribution, Layout, Workload
from assay.exam.exam import ContentKey, Exam
from assay.exam.failure.failure_shrinking import Failure, Shrinker
from assay.numerics.comparison import element_shares
from assay.numerics.expectation import OutputExpectation
from assay.numerics.failure.error_locations import NEARLY_ALL
from assay.numerics.failure.error_pattern import Pattern, WrongAnswer, pattern
from assay.numerics.failure.failure_conditions import failure_conditions

_SHOWN = 5
_STARTS = 6  # failing workloads that are tried again, the plainest and smallest first
_INFORMATIVE_ELEMENTS = 64  # a smaller output shows little of a pattern


@dataclass(frozen=True)
class _Account:
    """The first wrong output of one failure."""

    output: OutputSeen
    shape: tuple[int, ...]
    pattern: Pattern
    worst: tuple[WrongElement, ...] = ()
    wrong: int = 0
    total: int = 0  # elements that were compared


def explain_failure(
    exam: Exam, shrinker: Shrinker, observations: Iterable[Observation]
) -> ExplanationSeen:
    """The account; its reason where there is none."""
    calls = [o for o in observations if isinstance(o, CallSeen)]
    failed = _plainest_first(exam, calls)
    if not failed:
        return ExplanationSeen(reason="no call returned a wrong answer")
    workloads = exam.plan.workloads
    passed = [workloads[i] for i in _right(calls) if i not in failed]
    when = failure_conditions([workloads[i] for i in failed], passed)
    first = _first(shrinker, [workloads[i] for i in failed])
    if first is None:
        return ExplanationSeen(explanation=_history(workloads[failed[0]], calls, shrinker.tries))
    smallest = shrinker.shrink(first)
    found, shown = _read(first), _read(smallest)
    return ExplanationSeen(
        explanation=Explanation(
            found_on=first.workload,
            smallest=smallest.workload,
            output=shown.output.name,
            shape=shown.shape,
            pattern=found.pattern.kind,
            text=found.pattern.text,
            failure_conditions=when,
            wrong=shown.wrong,
            total=shown.total,
            worst=shown.worst,
            tries=shrinker.tries,
        )
    )


def _wrong(calls: list[CallSeen]) -> set[int]:
    return {call.workload for call in calls if call.wrong}


def _right(calls: list[CallSeen]) -> list[int]:
    """Workloads that were answered, and never wrongly."""
    answered = {call.workload for call in calls if call.outcome is CallOutcome.RETURNED}
    return sorted(answered - _wrong(calls))


def _plainest_first(exam: Exam, calls: list[CallSeen]) -> list[int]:
    """Wrong workloads: ordinary ones first, and those with right elements beside the wrong."""

    def weight(number: int) -> tuple[bool, bool, bool, int]:
        workload = exam.plan.workloads[number]
        laid_out = workload.layout is not Layout.CONTIGUOUS
        drawn = workload.distribution is not Distribution.OWN
        whole = all(_all_wrong(call) for call in calls if call.workload == number and call.wrong)
        return laid_out, drawn, whole, exam.content(ContentKey(number)).elements

    return sorted(_wrong(calls), key=weight)


def _all_wrong(call: CallSeen) -> bool:
    errors = [output.error for output in call.outputs if output.error is not None]
    return all(error.wrong >= NEARLY_ALL * error.total for error in errors)


def _first(shrinker: Shrinker, workloads: list[Workload]) -> Failure | None:
    """A failure that shows again, with enough elements to show a pattern, or the most there are."""
    found: Failure | None = None
    most = -1
    for workload in workloads[:_STARTS]:
        failure = shrinker.fails(workload)
        total = -1 if failure is None else _read(failure).total
        if total >= _INFORMATIVE_ELEMENTS:
            return failure
        if total > most:
            found, most = failure, total
    return found


def _history(workload: Workload, calls: list[CallSeen], tries: int) -> Explanation:
    """What fails in the exam alone: a cache, a counter, results that share memory."""
    wrong = next(o for call in calls for o in call.outputs if o.problem)
    text = "right on the same workloads in a new process: the answer depends on earlier calls"
    return Explanation(
        found_on=workload,
        smallest=None,
        output=wrong.name,
        shape=(),
        pattern=PatternKind.HISTORY,
        text=text,
        failure_conditions=(),
        wrong=wrong.error.wrong if wrong.error else 0,
        total=wrong.error.total if wrong.error else 0,
        worst=(),
        tries=tries,
    )


def _read(failure: Failure) -> _Account:
    """Of several wrong outputs the first."""
    for number, output in enumerate(failure.seen.outputs):
        if output.problem is None:
            continue
        if output.error is None or len(failure.expectations) != len(failure.seen.outputs):
            return _Account(output, (), Pattern(PatternKind.FORM, output.detail))
        return _compared(output, failure.expectations[number], _tensor(failure, number))
    raise AssertionError("a failure has a wrong output")


def _tensor(failure: Failure, number: int) -> torch.Tensor:
    """Outputs that were handed over come first, then the inputs a call may change."""
    handed = [raw.tensor for raw in failure.raw.outputs]
    found = [*handed, *(update.after for update in failure.raw.updates)][number]
    assert found is not None, "it was compared, so it is there"
    return found


def _compared(output: OutputSeen, expected: OutputExpectation, got: torch.Tensor) -> _Account:
    shares = element_shares(expected, got.detach())
    parts, truth = _real(got), _real(expected.truth)
    if expected.must_be_nan is not None:
        truth = truth.masked_fill(expected.must_be_nan.reshape(truth.shape), torch.nan)
    wrong = (shares > 1.0).reshape(parts.shape)
    if not bool(wrong.any()):  # shared memory, or a lean to one side that no element shows
        return _Account(output, expected.shape, Pattern(PatternKind.FORM, output.detail))
    found = pattern(WrongAnswer(parts, truth, wrong))
    order = shares.nan_to_num(torch.inf).argsort(descending=True)[: min(_SHOWN, int(wrong.sum()))]
    worst = tuple(_element(int(i), parts, truth, shares) for i in order)
    return _Account(output, expected.shape, found, worst, int(wrong.sum()), wrong.numel())


def _real(value: torch.Tensor) -> torch.Tensor:
    """float64; the parts of a complex number become a last dimension."""
    if value.dtype.is_complex:
        value = torch.view_as_real(value.resolve_conj())
    return value.detach().to(torch.float64)


def _element(
    flat: int, got: torch.Tensor, truth: torch.Tensor, shares: torch.Tensor
) -> WrongElement:
    index = tuple(int(i) for i in np.unravel_index(flat, got.shape))
    share = float(shares[flat])
    return WrongElement(
        index=index,
        expected=f"{float(truth.reshape(-1)[flat]):.9g}",
        got=f"{float(got.reshape(-1)[flat]):.9g}",
        budget_used=share if share < float("inf") else None,
    )
