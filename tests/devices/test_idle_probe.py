"""A device that is at work though nobody asks it to, with a driver that says what it is told."""

from __future__ import annotations

from typing import cast

import pytest

from assay.checks.leftovers import device_at_work
from assay.data.observations.observation import CheckMissing, LeftoverSeen, Observation
from assay.devices.cuda_driver import CudaDriver
from assay.devices.idle_probe import IdleProbe
from assay.exam.leftover_work import unprobed, without_foreign_work
from assay.timing.device_round_times import DeviceRoundTimes, GatedRun, leftover_device_work


class Scripted:
    """A driver that makes whoever waits for it wait as long as it is told to."""

    def __init__(self, *waits_us: float) -> None:
        self.now_ns = 0
        self.waits_us = list(waits_us)

    def enter(self) -> None: ...

    def allocate(self, nbytes: int) -> int:
        return nbytes

    def fill(self, pointer: int, value: int, nbytes: int) -> None: ...

    def finish_small(self) -> None:
        wait_us = self.waits_us.pop(0) if len(self.waits_us) > 1 else self.waits_us[0]
        self.now_ns += int(1e3 * wait_us)


def pulse_of(driver: Scripted) -> IdleProbe:
    return IdleProbe(cast(CudaDriver, driver), lambda: driver.now_ns, lambda _: None)


@pytest.mark.parametrize(
    ("waits_us", "busy"),
    [
        ([12.0], False),
        ([60.0], False),  # the clock idles
        ([1500.0], True),  # another process has the device half the time
        ([40.0, 1900.0, 700.0, 1200.0, 20.0, 1500.0, 1000.0, 1800.0, 900.0], True),  # by turns
        ([2500.0, 2500.0, 14.0], False),  # the host was held up, or it ended meanwhile
        ([2500.0] * 30 + [14.0], False),  # others who share the device pause
    ],
)
def test_only_what_stays_busy_is_told(waits_us: list[float], busy: bool) -> None:
    driver = Scripted(12.0)
    idle_probe = pulse_of(driver)
    driver.waits_us = waits_us
    found = device_at_work(idle_probe, 7)
    assert bool(found) is busy
    assert all("after batch 7" in seen.when and seen.on_device for seen in found)


def test_one_quick_look_is_enough_in_passing_and_a_slow_one_is_confirmed() -> None:
    driver = Scripted(12.0)
    idle_probe = pulse_of(driver)
    driver.waits_us = [15.0, 1500.0]
    assert not device_at_work(idle_probe, 1, sure=False)
    assert driver.waits_us == [1500.0]
    assert device_at_work(idle_probe, 1, sure=False)
    driver.waits_us = [1500.0, 15.0]
    assert not device_at_work(idle_probe, 1, sure=False)


def test_a_device_that_others_use_convicts_nobody() -> None:
    idle_probe = pulse_of(Scripted(1500.0))
    assert idle_probe.busy_before and not device_at_work(idle_probe, 1)
    (missing,) = unprobed(idle_probe)
    assert isinstance(missing, CheckMissing) and "other processes" in missing.reason
    assert not unprobed(pulse_of(Scripted(12.0))) and not unprobed(None)


def test_what_stays_when_the_candidate_is_gone_was_not_its_doing() -> None:
    driver = Scripted(12.0)
    idle_probe = pulse_of(driver)
    other = LeftoverSeen(when="batch 3", processes=1, text="a process")
    driver.waits_us = [1500.0]
    seen: list[Observation] = [other, *device_at_work(idle_probe, 1)]
    driver.waits_us = [1500.0] * 9 + [12.0]  # the driver needs a while to end it
    assert without_foreign_work(seen, idle_probe) == seen
    driver.waits_us = [1500.0]
    left = without_foreign_work(seen, idle_probe, lambda _: None, ending_s=0.0)
    assert other in left and not any(isinstance(o, LeftoverSeen) and o.on_device for o in left)
    assert any(isinstance(o, CheckMissing) for o in left)
    assert without_foreign_work([other], idle_probe) == [other]


@pytest.mark.parametrize(
    ("own_us", "null_us", "left"),
    [(20.0, 18.0, False), (900.0, 20.0, True), (1500.0, 1400.0, False)],
)
def test_work_after_timed_batches_is_the_candidates_only_where_others_leave_none(
    own_us: float, null_us: float, left: bool
) -> None:
    def runs(after_us: float) -> list[GatedRun]:
        return [GatedRun(1000, 1000, 10, True, after_us)] * 6

    times = DeviceRoundTimes(2, lengths=[4] * 6, runs=[runs(own_us), runs(null_us), runs(null_us)])
    assert bool(leftover_device_work(times)) is left
