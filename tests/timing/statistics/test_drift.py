"""Drift by known answers: a machine at rest, a steady slope, a falling clock."""

from __future__ import annotations

import numpy as np
import pytest

from assay.data.observations.measurement import Measurement
from assay.timing.statistics.drift import clock_fall, drift_remarks, throttling, time_drift


def _noisy(rounds: int, slope: float, seed: int, noise: float = 0.01) -> list[float]:
    """Times that grow by `slope` from the first round to the last."""
    random = np.random.default_rng(seed)
    return list(100 * np.linspace(1, 1 + slope, rounds) * random.lognormal(0, noise, rounds))


def test_a_slope_of_ten_percent_is_seen_and_put_into_words() -> None:
    seen = [time_drift(_noisy(30, 0.10, seed)) for seed in range(100)]
    assert sum("drifted" in text for text in seen) >= 99
    assert "slower in the last third" in seen[0]
    assert "faster in the last third" in time_drift(_noisy(30, -0.10, 0))


@pytest.mark.parametrize(("rounds", "most"), [(10, 22), (30, 5)])
def test_a_machine_at_rest_seldom_drifts(rounds: int, most: int) -> None:
    """Stated: 2 in 70 at four a side; of 400, more than 22 come less than once in 1000 times."""
    seen = sum(bool(time_drift(_noisy(rounds, 0.0, seed, noise=0.05))) for seed in range(400))
    assert seen <= most


def test_too_few_rounds_show_nothing() -> None:
    assert time_drift(_noisy(9, 1.0, 0)) == "" and time_drift([]) == ""
    assert time_drift(_noisy(10, 1.0, 0)) != ""


def test_a_shift_below_one_percent_is_not_worth_a_word() -> None:
    assert time_drift([100.0] * 10 + [100.5] * 20) == ""
    assert "2 % slower" in time_drift([100.0] * 10 + [102.0] * 20)


@pytest.mark.parametrize(
    ("clocks", "falls"),
    [
        ([1980.0] * 20, False),
        ([1980.0] * 10 + [1930.0] * 10, False),  # 2.5 %
        ([1980.0] * 10 + [1900.0] * 10, True),  # 4.0 %
        ([1500.0] * 10 + [1980.0] * 10, False),  # it rose: the device woke up
        ([1980.0], False),
        ([], False),
    ],
)
def test_a_clock_falls_beyond_three_percent(clocks: list[float], falls: bool) -> None:
    assert ("fell" in clock_fall(clocks)) is falls


def test_the_temperature_stands_beside_a_falling_clock() -> None:
    text = clock_fall([1980.0, 1980.0, 1700.0], [45.0, 60.0, 83.0])
    assert "from 1980 to 1700 MHz" in text and "from 45 to 83 C" in text


def test_throttle_reasons_are_named_once() -> None:
    assert throttling(()) == ""
    assert throttling(("power cap", "thermal", "power cap")).endswith(": power cap, thermal")


def test_a_measurement_at_rest_has_no_remarks() -> None:
    calm = Measurement(
        subject="eager",
        method="events",
        clock="outside",
        cache="cold",
        calls_per_sample=(8,) * 12,
        samples_us=(10.0,) * 12,
        clocks_mhz=(1980.0,) * 12,
        temperatures_c=(50.0,) * 12,
    )
    assert drift_remarks(calm) == ()
    hot = calm.model_copy(update={"clocks_mhz": (1980.0,) * 6 + (1500.0,) * 6})
    assert len(drift_remarks(hot)) == 1
