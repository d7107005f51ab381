"""Ratios of averages, and places among generators."""

from __future__ import annotations

import pytest

from assay.data.verdict import Status
from assay.scores.graded import GradedShape, GradedTask
from assay.scores.grouped import groups
from assay.scores.rankings import RankBy, first_places, mean_rank, places, ratio_of_averages
from graded_samples import entry, group


def test_large_shapes_dominate_a_ratio_of_averages() -> None:
    shapes = (GradedShape("large", 0.5, candidate_us=20_000.0, baseline_us=10_000.0),)
    some = group(entry("a", 10.0, shapes=shapes))
    assert ratio_of_averages(some).estimate.value == pytest.approx(10_100 / 20_010)


def test_places_go_by_time_and_the_unsolved_share_the_last() -> None:
    entries = [
        entry("a", 2.0),
        entry("b", status=Status.INCORRECT),
        entry("a", 4.0, generator="H"),
        entry("b", 1.0, generator="H"),
        entry("a", 1.0, generator="I"),
    ]
    first, second, _ = groups([GradedTask("a"), GradedTask("b")], entries)
    assert places(first, RankBy.MEAN) == [(2, 3), (3, 3)]
    assert mean_rank(first, RankBy.GEOM).estimate.value == 2.5
    assert mean_rank(second, RankBy.GEOM).estimate.value == 1.0
    assert first_places(second, RankBy.MEAN).estimate.value == 1.0
    assert first_places(first, RankBy.MEAN).estimate.value == 0.0
