"""The judge's own lack of a device's memory: waited out, then said."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from assay.devices.device_company import DeviceProcess
from assay.devices.device_shortage import (
    DeviceShortage,
    lack_of_memory,
    patiently,
    shortage,
)
from assay.errors import DeviceError, TaskError

TEXT = (
    "CUDA out of memory. Tried to allocate 6.00 GiB. GPU 0 has a total capacity of 139.80 GiB of "
    "which 1.57 GiB is free. Process 483 has 30.64 GiB memory in use."
)
NEIGHBOUR = (DeviceProcess(483, 30 << 30),)


def _failing(times: int, error: Exception) -> Callable[[], str]:
    left = [error] * times

    def ask() -> str:
        if left:
            raise left.pop()
        return "done"

    return ask


def _asked(
    ask: Callable[[], str], others: tuple[DeviceProcess, ...]
) -> tuple[str | DeviceShortage, list[str]]:
    log: list[str] = []
    try:
        found: str | DeviceShortage = patiently(
            ask, lambda: log.append("give back"), lambda: others, lambda s: log.append(f"{s:g} s")
        )
    except DeviceShortage as lack:
        found = lack
    return found, log


def test_memory_that_others_give_back_is_waited_for() -> None:
    ask = _failing(2, torch.OutOfMemoryError(TEXT))
    assert _asked(ask, NEIGHBOUR) == ("done", ["give back", "1 s", "give back", "4 s"])


def test_what_stays_missing_is_said_with_those_who_hold_it() -> None:
    found, log = _asked(_failing(9, torch.OutOfMemoryError(TEXT)), NEIGHBOUR)
    said = "the device had 1.57 GiB free, 6.00 GiB needed"
    assert str(found) == f"{said}; others on it: process 483 with 30.0 GiB"
    assert log.count("give back") == 3


def test_who_is_alone_asks_once_more_without_a_pause() -> None:
    assert _asked(_failing(1, torch.OutOfMemoryError(TEXT)), ()) == ("done", ["give back"])
    found, log = _asked(_failing(9, torch.OutOfMemoryError(TEXT)), ())
    assert str(found) == "the device had 1.57 GiB free, 6.00 GiB needed" and log == ["give back"]


def test_other_failures_are_nobodys_lack_of_memory() -> None:
    with pytest.raises(ValueError, match="other"):
        _asked(_failing(1, ValueError("other")), NEIGHBOUR)
    assert (
        lack_of_memory(None) is None and lack_of_memory(DeviceError("an illegal address")) is None
    )


def test_a_lack_is_found_behind_the_failure_of_a_task() -> None:
    try:
        try:
            raise torch.OutOfMemoryError(TEXT)
        except RuntimeError as error:
            raise TaskError("get_inputs failed") from error
    except TaskError as failed:
        lack = lack_of_memory(failed)
    assert isinstance(lack, torch.OutOfMemoryError)
    by_driver = DeviceError("cuMemAlloc_v2 failed: CUDA_ERROR_OUT_OF_MEMORY")
    assert lack_of_memory(by_driver) is by_driver
    assert str(shortage(by_driver, ())) == "the device has too little memory left"
    known = DeviceShortage("known")
    assert shortage(known, NEIGHBOUR) is known
