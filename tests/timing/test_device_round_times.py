"""What the rounds of a race say, on times with known answers."""

from __future__ import annotations

import statistics

import pytest

from assay.timing.device_measurement import measurement
from assay.timing.device_round_times import DeviceRoundTimes, GatedRun

CALLS = 50
PAIR_NS, COPIES_NS, QUEUE_NS = 1500, 90_000, 40_000  # what nothing costs, a batch


def run(call_us: float, share: float = 1.0, launch_us: float = 0.0, gated: bool = True) -> GatedRun:
    """A batch of calls; `share` of its time is what the events inside admit to."""
    spent = int(1e3 * call_us * CALLS)
    launch = QUEUE_NS + int(1e3 * launch_us * CALLS)
    return GatedRun(PAIR_NS + int(share * spent), COPIES_NS + PAIR_NS + spent, launch, gated)


def device_rounds(*sides: list[GatedRun]) -> DeviceRoundTimes:
    null = [run(0.0) for _ in sides[0]]
    return DeviceRoundTimes(len(sides), lengths=[CALLS] * len(null), runs=[*sides, null])


def test_what_a_process_needs_more_between_launches_is_taken_off() -> None:
    found = device_rounds([run(20.1), run(20.1)], [run(20.0), run(20.0)])
    found.gaps_us = (1.8, 1.7)
    assert [*found.inside_us(0), *found.inside_us(1)] == pytest.approx([20.05] * 4)
    assert found.outside_us(0) == pytest.approx(found.outside_us(1))
    assert found.launch_us(0) == pytest.approx(found.launch_us(1))


def test_a_side_in_two_processes_is_their_mean() -> None:
    slow, quick, other = ([run(us)] * 3 for us in (20.2, 20.0, 30.0))
    runs = [slow, quick, other, other, [run(0.0)] * 3]
    times = DeviceRoundTimes(2, processes=2, lengths=[CALLS] * 3, runs=runs)
    assert times.samples_us(0) == pytest.approx([20.1] * 3)
    assert times.samples_us(1) == pytest.approx([30.0] * 3)
    assert times.gated(0) and times.believed(0)


def test_one_of_two_processes_that_lies_is_not_believed() -> None:
    runs = [[run(20.0)] * 6, [run(20.0, share=0.1)] * 6, *[[run(20.0)] * 6] * 2, [run(0.0)] * 6]
    times = DeviceRoundTimes(2, processes=2, lengths=[CALLS] * 6, runs=runs)
    assert not times.believed(0) and times.believed(1)
    assert times.inside_share(0) == pytest.approx(0.1, abs=0.01)


def test_what_nothing_costs_is_taken_off() -> None:
    times = device_rounds([run(10.0), run(12.0), run(11.0)])
    assert times.inside_us(0) == pytest.approx([10.0, 12.0, 11.0])
    assert times.outside_us(0) == pytest.approx([10.0, 12.0, 11.0])
    assert times.offset_us() == pytest.approx(PAIR_NS / 1e3 / CALLS)


@pytest.mark.parametrize("call_us", [10.0, 100.0, 1000.0])
def test_events_that_lie_by_ten_are_not_believed(call_us: float) -> None:
    times = device_rounds([run(call_us, share=0.1)] * 6, [run(call_us)] * 6)
    assert not times.believed(0) and times.believed(1) and not times.inside
    assert times.inside_share(0) == pytest.approx(0.1, abs=0.01)
    for side in range(2):  # then nobody's are
        assert times.samples_us(side) == pytest.approx([call_us] * 6)


@pytest.mark.parametrize("late_us", [0.0, 5.0, 25.0])
def test_a_late_look_at_the_device_is_no_lie(late_us: float) -> None:
    late = [
        GatedRun(one.inside_ns, one.outside_ns + int(1e3 * late_us), one.launch_ns, True)
        for one in [run(10.0)] * 6
    ]
    assert device_rounds(late).believed(0)


def test_processes_of_a_side_that_differ_are_seen_to() -> None:
    runs = [[run(us)] * 6 for us in (20.0, 20.3, 30.0, 30.0, 0.0)]
    times = DeviceRoundTimes(2, processes=2, lengths=[CALLS] * 6, runs=runs)
    assert times.apart_us(0) == pytest.approx(0.3) and times.apart_us(1) == pytest.approx(0.0)
    wide, narrow = (measurement(times, side, "", "warm").apart_us for side in range(2))
    assert wide > 0.4 > 0.2 > narrow


def test_whoever_waits_inside_a_call_was_not_gated() -> None:
    times = device_rounds([run(10.0)] * 5 + [run(10.0, gated=False)])
    assert not times.gated(0)


def test_a_caller_waits_for_the_longer_of_host_and_device() -> None:
    times = device_rounds([run(10.0, launch_us=25.0)] * 3, [run(40.0, launch_us=25.0)] * 3)
    assert statistics.median(times.launch_us(0)) == pytest.approx(25.0)
    assert times.host_us(0) == pytest.approx([25.0] * 3)
    assert times.host_us(1) == pytest.approx([40.0] * 3)
