"""Times of which no ratio is stated, and why; speed alone is unknown then."""

from __future__ import annotations

import pytest

from assay.data.observations.measurement import ClockRound, MachineLoad, Measurement
from assay.data.observations.observation import TimesSeen
from assay.judge.speedup import why_withheld

ROUNDS = 8


def _times(
    clock: str = "inside", time_us: float = 100.0, waited: float = 0.0, inside_us: float = 1e4
) -> TimesSeen:
    measured = tuple(
        Measurement(
            subject=name,
            method=clock,
            clock=clock,
            cache="cold",
            calls_per_sample=(100,) * ROUNDS,
            samples_us=(time_us,) * ROUNDS,
        )
        for name in ("candidate", "eager")
    )
    one = ClockRound(
        calls=100, outside_us=1.1e4, empty_us=1e3, inside_us=inside_us, waited_us=1.1e4 * waited
    )
    return TimesSeen(
        measurements=measured,
        clock_rounds=(one,) * ROUNDS,
        resolution_us=10.0,
        load=MachineLoad(waited=waited),
    )


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (_times(), ""),
        (_times(waited=0.1), ""),  # said and wider, but stated
        (_times(waited=0.5), "the machine was too busy to time anything"),
        (_times("outside", 15.0), "the time of candidate is below what the clock resolves"),
        (_times("outside", 50.0), ""),
        (_times("inside", 15.0), ""),  # by the finer clock, which the other confirms
        (TimesSeen(reason="timing was switched off"), ""),
    ],
)
def test_a_ratio_needs_a_quiet_machine_and_a_time_that_is_resolved(
    times: TimesSeen, words: str
) -> None:
    assert why_withheld(times).startswith(words) and bool(why_withheld(times)) == bool(words)


def test_a_clock_that_load_hides_leaves_speed_unknown() -> None:
    one = ClockRound(calls=100, outside_us=2e4, empty_us=1e3, inside_us=1e3, waited_us=1.9e4)
    hidden = _times().model_copy(update={"clock_rounds": (one,) * ROUNDS})
    assert why_withheld(hidden).startswith("load hides whether its own clock is true")
