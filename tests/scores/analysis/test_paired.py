"""Paired tests against their definitions, and sentences that say what is shown."""

from __future__ import annotations

import math

import pytest

from assay.data.verdict import Status
from assay.scores.analysis.paired import compared, holm, mcnemar_exact, signed_rank
from assay.scores.graded import Graded, GradedTask
from graded_samples import entry

WRONG = Status.INCORRECT


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (3, 9), (5, 5), (0, 12)])
def test_mcnemar_is_the_sum_of_binomial_tails(b: int, c: int) -> None:
    n = b + c
    tail = sum(math.comb(n, i) for i in range(min(b, c) + 1)) / 2**n
    assert mcnemar_exact(b, c) == pytest.approx(min(1.0, 2 * tail))


def test_holm_multiplies_and_stays_monotone() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_equal_pairs_show_nothing() -> None:
    assert signed_rank([0.0, 0.0, 0.0]) == 1.0


def side(generator: str, solved: int, speedup: float, tasks: int = 20) -> list[Graded]:
    return [
        entry(
            f"t{i}",
            speedup * (1 + 0.01 * i),
            generator=generator,
            status=Status.ACCEPTED if i < solved else WRONG,
            speedup_low=speedup * 0.99 * (1 + 0.01 * i),
            speedup_high=speedup * 1.01 * (1 + 0.01 * i),
        )
        for i in range(tasks)
    ]


TASKS = [GradedTask(f"t{i}") for i in range(20)]


def test_a_better_generator_is_called_better() -> None:
    found = compared(("A", "B"), TASKS, side("A", 8, 1.0), side("B", 18, 1.5))
    assert (found.both, found.only_first, found.only_second, found.neither) == (8, 0, 10, 2)
    assert found.p_solved == pytest.approx(2 / 2**10)
    assert found.ratio == pytest.approx(1.5) and found.timed == 8
    assert "B solves more" in found.sentence and "B is faster" in found.sentence
    assert {one.what for one in found.differences} == {"speedup"}
    assert len(found.differences) == 8 and all(one.p < 0.05 for one in found.differences)


def test_a_run_against_itself_shows_no_difference() -> None:
    same = side("A", 12, 1.3)
    found = compared(("A", "A again"), TASKS, same, same)
    assert found.p_solved == 1.0 and found.p_speedup == 1.0 and found.ratio == 1.0
    assert found.differences == ()
    assert found.sentence.count("no difference shown") == 2


def test_five_tasks_cannot_show_a_difference_of_speed() -> None:
    found = compared(("A", "B"), TASKS, side("A", 5, 1.0), side("B", 5, 3.0))
    assert found.p_speedup == pytest.approx(2 / 2**5)
    assert "fewer than 6 tasks cannot show a difference" in found.sentence


def test_a_task_that_one_side_did_not_try_counts_as_failed() -> None:
    found = compared(("A", "B"), TASKS, side("A", 20, 1.0), side("B", 5, 1.0, tasks=5))
    assert (found.both, found.only_first) == (5, 15)
    assert "A solves more" in found.sentence


def test_many_samples_of_a_task_are_compared_for_it() -> None:
    good = [entry("t0", status=Status.ACCEPTED, sample=i) for i in range(10)]
    bad = [entry("t0", status=WRONG, sample=i) for i in range(10)]
    found = compared(("A", "B"), TASKS, good, bad)
    (one,) = found.differences
    assert (one.task, one.what, one.first, one.second) == ("t0", "accepted", 1.0, 0.0)
    assert "Speed cannot be compared" in found.sentence
