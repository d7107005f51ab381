"""Gains: the interval of a ratio, and what claims without one are worth."""

from __future__ import annotations

import math

import pytest

from assay.data.candidate import ClaimedResult
from assay.scores.analysis.claimed_ratios import (
    LEAST_CLAIMED,
    claimed_gain,
    claimed_noise,
    claimed_ratio,
)
from assay.scores.analysis.gains import judged_gain
from assay.scores.graded import Graded
from graded_samples import entry


def timed(speedup: float, spread: float) -> Graded:
    return entry(
        "t", speedup, speedup_low=speedup / (1 + spread), speedup_high=speedup * (1 + spread)
    )


def claim(identity: str, figure: float | None, number: int = 0, **fields: object) -> Graded:
    given = {"source": "s", "ran": True, "correct": True, "speedup": figure} | fields
    said = ClaimedResult.model_validate(given)
    return entry("t", status=None, candidate_id=identity, round=number, claimed=said)


def test_the_interval_of_a_ratio_holds_both_errors() -> None:
    found = judged_gain(timed(1.0, 0.03), timed(1.2, 0.04))
    assert found is not None and found.ratio == pytest.approx(1.2) and found.rate == 0.95
    half = math.hypot(math.log(1.03), math.log(1.04))
    assert (found.low, found.high) == pytest.approx((1.2 * math.exp(-half), 1.2 * math.exp(half)))


def test_equal_kernels_are_called_faster_as_often_as_stated() -> None:
    import numpy as np

    draw = np.random.default_rng(5)
    error = 0.02
    spread = math.exp(1.959963984540054 * error) - 1
    called = 0
    for before, after in np.exp(draw.normal(0, error, (4000, 2))):
        found = judged_gain(timed(float(before), spread), timed(float(after), spread))
        assert found is not None
        called += found.low > 1
    assert 0.017 < called / 4000 < 0.034


def test_without_an_interval_there_is_no_gain() -> None:
    assert judged_gain(entry("t", 1.0), timed(2.0, 0.1)) is None
    assert judged_gain(timed(1.0, 0.1), entry("t")) is None


def test_claims_are_compared_by_the_same_figure_of_the_same_source() -> None:
    assert claimed_ratio(claim("a", 1.0), claim("b", 1.5)) == pytest.approx(1.5)
    assert claimed_ratio(claim("a", 1.0), claim("b", None, score=2.0)) is None
    assert claimed_ratio(claim("a", 1.0), claim("b", 1.5, source="other")) is None
    assert claimed_ratio(claim("a", 1.0, correct=False), claim("b", 1.5)) is None
    assert claimed_ratio(claim("a", 0.0), claim("b", 1.5)) is None


def test_noise_is_five_percent_or_what_identical_kernels_show() -> None:
    quiet = [(claim("a", 1.0), claim("a", 1.01, 1)), (claim("b", 1.0), claim("c", 3.0, 1))]
    loud = [*quiet, (claim("d", 1.2), claim("d", 1.0, 1))]
    assert claimed_noise([]) == claimed_noise(quiet) == LEAST_CLAIMED
    assert claimed_noise(loud) == pytest.approx(0.2)


def test_a_claimed_gain_has_no_rate() -> None:
    found = claimed_gain(claim("a", 1.0), claim("b", 1.1), 0.05)
    assert found is not None and found.rate is None and "5 %" in found.method
    assert found.low == pytest.approx(1.1 / 1.05)
