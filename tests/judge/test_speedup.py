"""A speedup is a ratio of two measurements, or null with its reason."""

from __future__ import annotations

import pytest

from assay.data.observations.measurement import Difference, Measurement, Timing
from assay.data.observations.observation import TimesSeen
from assay.judge.decide import judge
from support.judge_inputs import case, every_workload


def _measured(subject: str, *samples: float, **about: object) -> Measurement:
    made = Measurement(
        subject=subject,
        method="outside; null batch subtracted",
        clock="outside",
        cache="cold",
        calls_per_sample=(8,) * len(samples),
        samples_us=samples,
    )
    return Measurement.model_validate(made.model_dump() | about)


def _timing(*measured: Measurement) -> Timing:
    verdict = judge(case(*every_workload(), TimesSeen(measurements=measured)))
    assert verdict.timing is not None
    (timing,) = verdict.timing
    return timing


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


@pytest.mark.parametrize(
    ("baseline_us", "word"),
    [(20.0, Difference.FASTER), (5.0, Difference.SLOWER), (10.0, Difference.NOT_SHOWN)],
)
def test_a_timing_says_what_it_shows(baseline_us: float, word: Difference) -> None:
    timing = _timing(CANDIDATE, _measured("eager", *[baseline_us] * 8))
    assert timing.difference is word and timing.launch_bound is None
    assert timing.candidate_low_us is not None and timing.candidate_high_us is not None
    assert timing.candidate_low_us <= 9.5 and timing.candidate_high_us >= 10.5


def test_where_the_host_is_longer_the_device_still_makes_the_speedup() -> None:
    own = _measured("candidate", *[4.0] * 8, host_us=(12.0,) * 8, launch_us=(11.0,) * 8)
    eager = _measured("eager", *[20.0] * 8, host_us=(24.0,) * 8, launch_us=(9.0,) * 8)
    timing = _timing(own, eager)
    assert timing.launch_bound and "launch-bound" in timing.method
    assert (timing.candidate_us, timing.baseline_us) == (4.0, 20.0)
    assert timing.speedup == pytest.approx(5.0)
    assert timing.host_speedup == pytest.approx(2.0)
    assert timing.host_speedup_low == timing.host_speedup_high == pytest.approx(2.0)


def test_noise_of_the_host_is_not_the_speedups() -> None:
    """Runs of one kernel: the device agrees with itself, the host does not."""
    found = []
    for noise in (1.0, 1.4, 0.7, 2.3):
        host = tuple(12.0 * noise * (1 + 0.02 * n) for n in range(8))
        own = _measured("candidate", *[4.2] * 8, host_us=host, launch_us=host)
        eager = _measured("eager", *[4.4] * 8, host_us=(15.0,) * 8, launch_us=(15.0,) * 8)
        found.append(_timing(own, eager))
    assert len({timing.speedup for timing in found}) == 1
    assert len({timing.difference for timing in found}) == 1
    assert len({timing.host_speedup for timing in found}) == 4


@pytest.mark.parametrize("below", ["candidate", "eager"])
def test_a_time_that_the_clock_does_not_resolve_makes_no_ratio(below: str) -> None:
    nothing = [0.001, 0.001, 0.9, 0.001, 0.001, 0.2, 0.001, 0.001]
    own = _measured("candidate", *(nothing if below == "candidate" else [5.0] * 8))
    eager = _measured("eager", *(nothing if below == "eager" else [5.0] * 8))
    verdict = judge(case(*every_workload(), TimesSeen(measurements=(own, eager))))
    assert verdict.timing is None
    assert "below what the clock resolves" in verdict.timing_reason
    assert ("the candidate's time" in verdict.timing_reason) is (below == "candidate")


def test_what_processes_are_apart_by_is_not_resolved_either() -> None:
    own = _measured("candidate", *[0.1] * 8, apart_us=0.105)
    eager = _measured("eager", *[5.0] * 8, apart_us=0.105)
    verdict = judge(case(*every_workload(), TimesSeen(measurements=(own, eager))))
    assert verdict.timing is None and "0.1 us a call" in verdict.timing_reason


def test_an_unresolved_baseline_costs_itself_alone() -> None:
    vendor = _measured("vendor", *[0.001] * 8)
    verdict = judge(case(*every_workload(), TimesSeen(measurements=(CANDIDATE, vendor, EAGER))))
    assert verdict.timing is not None and [t.baseline for t in verdict.timing] == ["eager"]
    assert verdict.timing_reason.startswith("vendor: its time is below")


def test_each_side_widens_by_its_own_share() -> None:
    """Two sides of one kernel are within `apart_us`; a long one adds little to a short one."""
    short = _measured("candidate", *[4.0] * 8, apart_us=0.2)
    equal = _timing(short, _measured("eager", *[4.0] * 8, apart_us=0.2))
    long = _timing(short, _measured("eager", *[400.0] * 8, apart_us=0.2))
    assert equal.speedup_high - equal.speedup == pytest.approx(0.05)
    assert long.speedup_high / long.speedup - 1 == pytest.approx(0.05 / 2**0.5, rel=1e-3)
    assert equal.difference is Difference.NOT_SHOWN and long.difference is Difference.FASTER


@pytest.mark.parametrize(
    ("own", "eager", "bound"),
    [
        ({"host_us": (10.5,) * 8}, {"host_us": (20.5,) * 8}, False),  # the host waits for the end
        ({"host_us": (30.0,) * 8}, {"host_us": (20.5,) * 8}, True),
        ({"host_us": (10.5,) * 8}, {}, None),
        ({"launch_us": (30.0,)}, {}, True),
    ],
)
def test_launch_bound_is_known_or_unknown(
    own: dict[str, object], eager: dict[str, object], bound: bool | None
) -> None:
    timing = _timing(
        _measured("candidate", *[10.0] * 8, **own), _measured("eager", *[20.0] * 8, **eager)
    )
    assert timing.launch_bound is bound


def test_host_times_of_one_side_alone_make_no_ratio() -> None:
    own = _measured("candidate", *[10.0] * 8, host_us=(30.0,) * 8)
    timing = _timing(own, EAGER)
    assert timing.launch_bound and timing.candidate_us == 10.0
    assert timing.host_speedup is timing.host_speedup_low is timing.host_speedup_high is None


def test_warm_and_cold_are_never_compared() -> None:
    warm = _measured("candidate", *[1.0] * 8, cache="warm")
    assert _timing(CANDIDATE, warm, EAGER).candidate_us == 10.0


def test_a_drifting_baseline_is_remarked() -> None:
    eager = _measured("eager", *[20.0 + n for n in range(12)], throttles=("power cap",))
    own = _measured("candidate", *[10.0] * 12, remarks=("it was cold",))
    remarks = " ".join(_timing(own, eager).remarks)
    assert "it was cold" in remarks and "drifted" in remarks and "power cap" in remarks


def test_host_times_come_one_a_round() -> None:
    with pytest.raises(ValueError, match="2 host times for 1 rounds"):
        _measured("candidate", 1.0, host_us=(1.0, 2.0))


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


def test_a_lost_baseline_costs_itself_alone() -> None:
    times = TimesSeen(measurements=(CANDIDATE, EAGER), lost=("vendor: no vendor call is known",))
    verdict = judge(case(*every_workload(), times))
    assert verdict.timing is not None and [t.baseline for t in verdict.timing] == ["eager"]
    assert verdict.timing_reason == "vendor: no vendor call is known"


def test_where_all_are_lost_the_reason_names_them() -> None:
    times = TimesSeen(reason="no baseline could be run", lost=("vendor: unknown",))
    verdict = judge(case(*every_workload(), times))
    assert verdict.timing is None
    assert verdict.timing_reason == "no baseline could be run: vendor: unknown"


def test_only_the_same_rounds_are_compared() -> None:
    """Two rows of rounds, which differ in number, both on warm caches."""
    own, other = (
        one.model_copy(update={"cache": "warm", "samples_us": one.samples_us[:6], "host_us": ()})
        for one in (CANDIDATE, EAGER)
    )
    first, second = (TimesSeen(measurements=m) for m in ((CANDIDATE, EAGER), (own, other)))
    verdict = judge(case(*every_workload(), first, second))
    assert verdict.timing is not None
    assert [t.cache for t in verdict.timing] == [CANDIDATE.cache, "warm"]


def test_processes_that_are_apart_widen_the_interval() -> None:
    own = _measured("candidate", *[20.0] * 8, apart_us=0.15)
    near = _timing(own, _measured("eager", *[20.1] * 8, apart_us=0.15))
    assert near.difference is Difference.NOT_SHOWN and near.speedup == pytest.approx(1.005)
    far = _timing(own, _measured("eager", *[20.4] * 8, apart_us=0.15))
    assert far.difference is Difference.FASTER
