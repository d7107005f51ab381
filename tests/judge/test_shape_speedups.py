"""Speedups by category of shapes, and how much they vary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.observations.measurement import Measurement, ShapeTime
from assay.data.observations.observation import ShapeTimesSeen, TimesSeen
from assay.data.settings import Settings
from assay.data.workload import Category
from assay.judge.decide import judge
from assay.judge.shape_speedups import variation
from support.judge_inputs import case, every_workload

ASKED = Settings(time_shapes=True)


def _times(own_us: float, eager_us: float) -> TimesSeen:
    pairs = (("candidate", own_us), ("eager", eager_us))
    return TimesSeen(
        measurements=tuple(
            Measurement(
                subject=subject,
                method="outside",
                clock="outside",
                cache="cold",
                calls_per_sample=(8,) * 8,
                samples_us=(time_us,) * 8,
            )
            for subject, time_us in pairs
        )
    )


def _seen(category: Category, times: TimesSeen) -> ShapeTimesSeen:
    return ShapeTimesSeen(category=category, axes={"rows": 3}, times=times)


def test_every_category_has_a_speedup_or_a_reason() -> None:
    seen = (
        _seen(Category.TINY, _times(10.0, 20.0)),
        _seen(Category.LARGE, _times(10.0, 40.0)),
        _seen(Category.SQUARE, TimesSeen(reason="it did not answer this shape")),
    )
    verdict = judge(replace(case(*every_workload(), _times(10.0, 30.0), *seen), settings=ASKED))
    assert verdict.shape_times is not None
    by_category = {one.category: one for one in verdict.shape_times}
    assert list(by_category) == list(Category)
    assert by_category[Category.TINY].speedup == pytest.approx(2.0)
    assert by_category[Category.TINY].candidate_us == 10.0
    assert by_category[Category.LARGE].speedup_low == pytest.approx(4.0)
    assert by_category[Category.SQUARE].reason == "it did not answer this shape"
    assert by_category[Category.MEDIUM].reason.startswith("no shape of this category")
    assert verdict.speedup_cv == pytest.approx(2**0.5 / 3) and verdict.speedup_cv_n == 2
    assert verdict.timing is not None
    assert [timing.speedup for timing in verdict.timing] == [pytest.approx(3.0)]


def test_they_are_null_where_they_were_not_asked_for() -> None:
    verdict = judge(replace(case(*every_workload(), _times(10.0, 30.0)), settings=Settings()))
    assert (verdict.shape_times, verdict.speedup_cv, verdict.speedup_cv_n) == (None, None, 0)


def test_a_candidate_that_was_not_timed_has_reasons_alone() -> None:
    untimed = TimesSeen(reason="not timed: the candidate is not right")
    verdict = judge(replace(case(*every_workload(), untimed), settings=ASKED))
    assert verdict.shape_times is not None and len(verdict.shape_times) == len(Category)
    assert all(one.reason and one.speedup is None for one in verdict.shape_times)


def test_fewer_than_two_speedups_do_not_vary() -> None:
    one = ShapeTime(category=Category.TINY, speedup=2.0)
    assert variation([one]) == (None, 1)
    assert variation([one, one.model_copy(update={"speedup": 2.0})]) == (0.0, 2)
