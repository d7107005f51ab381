"""Records of kernels as a fake CUPTI hands them over."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import pytest

from assay.devices.recorder import cupti
from assay.devices.recorder.cupti import CuptiTrace
from assay.errors import DeviceError

KERNEL = 10


class FakeCupti:
    """Writes the records that it is given into the trace's own buffers."""

    def __init__(self, *kinds: int) -> None:
        self.records = [self._record(kind, number) for number, kind in enumerate(kinds)]
        self.asked: list[tuple[str, int]] = []
        self._callbacks: Sequence[Any] = ()
        self._left: list[Any] = []

    def _record(self, kind: int, number: int) -> Any:
        name = f"kernel_{number}".encode()
        return cupti._Head(kind=kind, start=number, end=number + 5, correlation=number, name=name)

    def cuptiActivityRegisterCallbacks(self, requested: Any, completed: Any) -> int:
        self._callbacks = (requested, completed)
        return 0

    def cuptiActivityEnable(self, kind: int) -> int:
        self.asked.append(("enable", kind))
        return 0

    def cuptiActivityDisable(self, kind: int) -> int:
        self.asked.append(("disable", kind))
        return 0

    def cuptiActivityFlushAll(self, flag: int) -> int:
        self.asked.append(("flush", flag))
        buffer, size, most = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t()
        self._callbacks[0](*(ctypes.pointer(one) for one in (buffer, size, most)))
        self._left = list(self.records)
        self._callbacks[1](None, 0, buffer, size.value, 1)
        return 0

    def cuptiActivityGetNextRecord(self, address: Any, room: Any, record: Any) -> int:
        if not self._left:
            return 1
        record._obj.value = ctypes.addressof(self._left.pop(0))
        return 0


def _trace(monkeypatch: pytest.MonkeyPatch, fake: FakeCupti) -> CuptiTrace:
    monkeypatch.setattr(cupti, "_load", lambda: fake)
    trace = CuptiTrace()
    trace.start()
    return trace


def test_kernels_are_told_in_the_order_in_which_they_began(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _trace(monkeypatch, FakeCupti(KERNEL, 1, KERNEL)).stop()
    assert [(one.name, one.launch) for one in found] == [("kernel_0", 0), ("kernel_2", 2)]


def test_graphs_are_recorded_by_their_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCupti()
    _trace(monkeypatch, fake).stop()
    changed = [("disable", 51), ("enable", KERNEL), ("disable", KERNEL)]
    assert [one for one in fake.asked if one[0] != "flush"] == changed


def test_what_was_recorded_before_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCupti(KERNEL, KERNEL)
    trace = _trace(monkeypatch, fake)
    assert fake.asked[0] == ("flush", 1)
    fake.records.clear()
    assert trace.stop() == []


def test_more_kernels_than_are_kept_are_no_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cupti, "_MOST_RECORDS", 2)
    with pytest.raises(DeviceError, match="1 kernels ran beyond the 2"):
        _trace(monkeypatch, FakeCupti(KERNEL, KERNEL, KERNEL)).stop()
