"""DeviceShortage: the judge's own lack of a device's memory.

The rule: it is never the task's fault nor the candidate's. Where other processes hold memory they
may be about to end, so the judge waits a moment and asks again; then it says how much there was,
how much it needed and who holds the rest.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import TypeVar

from assay.devices.device_company import DeviceProcess, in_words
from assay.errors import DeviceError, HostError

_TOLD = re.compile(r"Tried to allocate ([\d.]+ \w+).*?of which ([\d.]+ \w+) is free", re.DOTALL)
_BY_DRIVER = re.compile(r"out.of.memory", re.IGNORECASE)
_PAUSES_S = (1.0, 4.0, 10.0)

Others = Callable[[], tuple[DeviceProcess, ...]]
_Answer = TypeVar("_Answer")


class DeviceShortage(HostError):
    """The device has too little memory left for what the judge does."""


def lack_of_memory(error: BaseException | None) -> BaseException | None:
    """The lack of a device's memory that an error is, or comes from."""
    from torch import OutOfMemoryError  # whoever meets it has imported torch

    while error is not None:
        by_driver = isinstance(error, DeviceError) and _BY_DRIVER.search(str(error))
        if isinstance(error, OutOfMemoryError | DeviceShortage) or by_driver:
            return error
        error = error.__cause__ or error.__context__
    return None


def shortage(lack: BaseException, others: tuple[DeviceProcess, ...]) -> DeviceShortage:
    """In words, with those who hold the rest."""
    if isinstance(lack, DeviceShortage):
        return lack
    told = _TOLD.search(str(lack))
    text = "the device has too little memory left"
    if told is not None:
        text = f"the device had {told[2]} free, {told[1]} needed"
    held = f"; others on it: {in_words(others)}" if others else ""
    return DeviceShortage(text + held)


def patiently(
    ask: Callable[[], _Answer],
    give_back: Callable[[], None],
    others: Others,
    sleep: Callable[[float], None] = time.sleep,
) -> _Answer:
    """What is asked; once more after `give_back`, and while others are there after a pause, too.

    Raises DeviceShortage where memory is still missing then.
    """
    for pause_s in (*_PAUSES_S, None):
        try:
            return ask()
        except Exception as error:
            lack = lack_of_memory(error)
            if lack is None:
                raise
            found = others()
            if pause_s is None or (not found and pause_s != _PAUSES_S[0]):
                raise shortage(lack, found) from error
        give_back()  # what the failed attempt held is free only here
        if found:
            sleep(pause_s)
    raise AssertionError("the last attempt answers or raises")
