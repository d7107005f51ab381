"""What a launch costs, worked out on a clock whose every cost is known."""

from __future__ import annotations

import pytest

from assay.devices.burst import Work
from assay.devices.launch_cost import launch_cost, long_enough, smallest_step
from devices.test_burst import ScriptedTimer


def tiny() -> None: ...


def long() -> None: ...


class DeviceClock(ScriptedTimer):
    """A tiny kernel takes 2 us, a pair of events adds 3, and 4 more where the queue was idle."""

    def burst_us(self, work: Work, calls: int, behind: Work | None = None) -> float:
        if work is long:
            return 1000.0 * calls
        return 2.0 * calls + 3.0 + (0.0 if behind else 4.0)


def test_an_event_pair_is_told_from_the_kernel_between() -> None:
    cost = launch_cost(DeviceClock(call_us=0.0), tiny, long)
    assert cost.gap_us == pytest.approx(2.0, abs=0.02)
    assert cost.event_offset_us == pytest.approx(3.0, abs=0.02)
    assert cost.event_offset_idle_us == pytest.approx(7.0, abs=0.02)
    assert cost.host_us > 0
    assert cost.timer_step_ns == pytest.approx(4000.0)


def test_what_stands_before_lasts_long_enough() -> None:
    ran: list[int] = []
    queue = long_enough(ScriptedTimer(call_us=300.0), lambda: ran.append(1), 1000.0)
    queue()
    assert len(ran) == 4


@pytest.mark.parametrize(
    ("samples", "step"), [([4.0, 1.0, 1.5, 4.0], 0.5), ([2.0, 2.0], 2.0), ([3.0], 3.0)]
)
def test_the_smallest_step(samples: list[float], step: float) -> None:
    assert smallest_step(samples) == step
