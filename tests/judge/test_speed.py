"""A speedup is a ratio of two measurements, or null with its reason."""

from __future__ import annotations

import pytest

from assay.data.measurement import Measurement
from assay.data.observation import TimesSeen
from assay.judge.decide import judge
from judge.cases import case, every_workload


def _measured(subject: str, *samples: float) -> Measurement:
    return Measurement(
        subject=subject,
        method="outside; null batch subtracted",
        clock="outside",
        cache="cold",
        calls_per_sample=(8,) * len(samples),
        samples_us=samples,
    )


CANDIDATE = _measured("candidate", 10.0, 11.0, 9.0, 10.5, 9.5, 10.0, 10.2, 9.8)
EAGER = _measured("eager", 20.0, 22.0, 18.0, 21.0, 19.0, 20.0, 20.4, 19.6)


def test_a_speedup_is_the_paired_ratio_with_its_interval() -> None:
    verdict = judge(case(*every_workload(), TimesSeen(measurements=(CANDIDATE, EAGER))))
    assert verdict.timing is not None and verdict.timing_reason == ""
    (timing,) = verdict.timing
    assert timing.baseline == "eager"
    assert timing.candidate_us == 10.0 and timing.baseline_us == 20.0
    assert timing.speedup == pytest.approx(2.0)  # every round has the ratio two
    assert timing.speedup_low == pytest.approx(2.0) == timing.speedup_high
    assert "outside" in timing.method and "cold" in timing.method


def test_noise_widens_the_interval_around_the_middle() -> None:
    noisy = _measured("eager", 20.0, 30.0, 15.0, 22.0, 18.0, 25.0, 19.0, 21.0)
    verdict = judge(case(*every_workload(), TimesSeen(measurements=(CANDIDATE, noisy))))
    assert verdict.timing is not None
    (timing,) = verdict.timing
    assert timing.speedup_low < timing.speedup < timing.speedup_high


def test_each_baseline_has_its_row() -> None:
    compiled = _measured("compile", *[5.0] * 8)
    times = TimesSeen(measurements=(CANDIDATE, EAGER, compiled))
    verdict = judge(case(*every_workload(), times))
    assert verdict.timing is not None
    assert [t.baseline for t in verdict.timing] == ["eager", "compile"]
    assert verdict.timing[1].speedup == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ((), "not timed"),
        ((TimesSeen(reason="timing was switched off"),), "timing was switched off"),
        ((TimesSeen(measurements=(CANDIDATE,)),), "not timed"),
    ],
)
def test_no_speedup_comes_with_a_reason(seen: tuple[TimesSeen, ...], reason: str) -> None:
    verdict = judge(case(*every_workload(), *seen))
    assert verdict.timing is None and reason in verdict.timing_reason


def test_the_bootstrap_gives_the_same_interval_every_time() -> None:
    noisy = _measured("eager", 20.0, 30.0, 15.0, 22.0, 18.0, 25.0, 19.0, 21.0)
    made = [
        judge(case(*every_workload(), TimesSeen(measurements=(CANDIDATE, noisy)))) for _ in "ab"
    ]
    assert made[0].timing == made[1].timing
