"""Which axes and sizes are covered, in words, and what a lack of coverage does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.observations.observation import EndCause
from assay.data.settings import Level, Settings
from assay.data.verdict import Correct, Coverage, Status, Verdict
from assay.data.workload import Layout, Workload
from assay.judge.decide import _acceptance, judge
from support.judge_inputs import (
    LAYERS,
    OTHER_BATCH,
    OTHER_SIZE,
    TRANSPOSED,
    case,
    ended,
    good,
    kinds,
    plan,
    refused,
)

ROWS, DIMS = (16, 1, 7), (64, 16, 32, 65, 127)


def _workload(rows: int, dim: int, layout: Layout = Layout.CONTIGUOUS) -> Workload:
    return Workload(axes={"rows": rows, "dim": dim}, dtype="float32", layout=layout)


def _covered(workloads: list[Workload], lost: set[int]) -> Coverage:
    """Of a candidate that refuses some workloads and answers the others."""
    numbers = range(len(workloads))
    calls = [refused(n, n) if n in lost else good(n, n) for n in numbers]
    planned = plan().model_copy(update={"workloads": tuple(workloads)})
    found = judge(replace(case(LAYERS, *calls), plan=planned)).coverage
    assert found is not None
    return found


def test_the_axis_that_explains_the_refusals_is_named() -> None:
    workloads = [_workload(rows, dim) for dim in DIMS for rows in ROWS]
    lost = {n for n, w in enumerate(workloads) if w.axes["dim"] % 16}
    found = _covered(workloads, lost)
    assert found.words == "answers dim 16, 32, 64; refuses dim 65, 127"
    assert (found.answered, found.refused) == (9, 6)


def test_a_layout_and_an_axis_are_named_apart() -> None:
    workloads = [_workload(16, 64), _workload(1, 64), _workload(16, 65)]
    workloads.append(_workload(16, 64, Layout.TRANSPOSED))
    words = _covered(workloads, {2, 3}).words
    assert "refuses dim 65" in words and "refuses layout transposed" in words


def test_what_no_axis_explains_is_counted_with_an_example() -> None:
    workloads = [_workload(16, 64), _workload(1, 65), _workload(16, 65), _workload(1, 64)]
    words = _covered(workloads, {2}).words
    assert words.startswith("refuses 1 other workloads, for instance rows=16, dim=65")


def test_many_sizes_are_cut() -> None:
    workloads = [_workload(16, 64), *(_workload(16, n) for n in range(101, 112))]
    assert "and 5 more" in _covered(workloads, set(range(1, 12))).words


def test_everything_answered_is_said() -> None:
    assert _covered([_workload(16, 64)], set()).words == "answers every workload asked"


def test_what_was_not_asked_or_too_slow_is_counted() -> None:
    late = ended(EndCause.TIMED_OUT, workload=OTHER_SIZE, optional=True)
    verdict = judge(case(LAYERS, good(0), good(1, OTHER_BATCH), late))
    found = verdict.coverage
    assert found is not None and found.words == "1 did not fit the time; 1 was not asked"
    assert "the 2 of 4 workloads that it answered (2 did not fit the limits)" in verdict.reason


def test_a_refusal_is_counted_beside_what_did_not_fit() -> None:
    found = Coverage(asked=5, answered=3, refused=1, share=0.6, words="")
    assert "(1 did not fit the limits, 1 refused)" in _acceptance(found)


def _with_least(least: float) -> Verdict:
    """Three of four workloads are answered."""
    calls = [good(0), good(1, OTHER_BATCH), good(2, OTHER_SIZE), refused(3, TRANSPOSED)]
    settings = Settings(level=Level.QUICK, min_coverage=least)
    return judge(replace(case(LAYERS, *calls), settings=settings))


@pytest.mark.parametrize("least", [0.0, 0.5, 0.75])
def test_enough_coverage_is_accepted(least: float) -> None:
    assert _with_least(least).status is Status.ACCEPTED


def test_a_lack_of_coverage_is_a_reason_where_it_is_asked_for() -> None:
    verdict = _with_least(0.8)
    assert verdict.status is Status.INCORRECT and verdict.correct is Correct.NO
    assert kinds(verdict.evidence) == {"unsupported"}
    for words in ("3 of 4", "80 %", "refuses layout transposed"):
        assert words in verdict.reason


def test_who_did_not_finish_lacks_more_than_coverage() -> None:
    settings = Settings(level=Level.QUICK, min_coverage=1.0)
    made = case(LAYERS, good(0), ended(EndCause.SIGNALLED, workload=OTHER_SIZE))
    verdict = judge(replace(made, settings=settings))
    assert verdict.status is Status.CRASHED and kinds(verdict.evidence) == {"crashed"}
