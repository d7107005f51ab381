"""Whose work it is that keeps a device busy when every call was called done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from assay.data.observations.observation import CheckMissing, LeftoverSeen
from assay.devices.device_company import DeviceProcess
from assay.exam.leftover_work import DEVICE_CHECK, left_at_work, of_candidate

NEIGHBOUR = DeviceProcess(4711, 30 << 30)


@dataclass
class _Device:
    """At work or not, and with others or not, look by look; the last of each stays."""

    busy: list[bool]
    company: list[bool] = field(default_factory=lambda: [False])
    usual_us: float = 12.0

    def surely_busy_us(self) -> float | None:
        return 1652.0 if _next(self.busy) else None

    def others(self) -> tuple[DeviceProcess, ...]:
        return (NEIGHBOUR,) if _next(self.company) else ()


def _next(said: list[bool]) -> bool:
    return said.pop(0) if len(said) > 1 else said[0]


def _found(device: _Device) -> list[LeftoverSeen | CheckMissing]:
    return left_at_work(cast(Any, device), "after batch 1", lambda _: None)


def test_who_is_alone_on_a_device_at_work_left_the_work_there() -> None:
    (found,) = _found(_Device([True]))
    assert isinstance(found, LeftoverSeen) and found.on_device and "1652" in found.text


def test_beside_a_process_of_others_a_device_always_at_work_is_unknown() -> None:
    (found,) = _found(_Device([True], [True]))
    assert isinstance(found, CheckMissing) and found.check == DEVICE_CHECK
    assert not found.essential and "process 4711 with 30.0 GiB" in found.reason


@pytest.mark.parametrize("looks", range(4))
def test_work_of_others_comes_and_goes(looks: int) -> None:
    assert _found(_Device([True] * looks + [False], [True])) == []


@pytest.mark.parametrize("company", [[True, False], [False, True, False]])
def test_a_kernel_that_spins_on_when_others_have_gone_is_the_candidates(
    company: list[bool],
) -> None:
    """Who came or went during a look may have been the one at work in it."""
    device = _Device([True], company)
    (found,) = _found(device)
    assert isinstance(found, LeftoverSeen)


def test_work_seen_in_passing_is_nobodys_where_others_are_there() -> None:
    seen = [LeftoverSeen(when="timed batches", processes=0, on_device=True, text="works on")]
    alone, beside = _Device([True]), _Device([True], [True])
    assert of_candidate(seen, cast(Any, alone)) == seen and of_candidate(seen, None) == seen
    (unknown,) = of_candidate(seen, cast(Any, beside))
    assert isinstance(unknown, CheckMissing)
    assert of_candidate([], cast(Any, beside)) == []
