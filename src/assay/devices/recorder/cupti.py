"""Kernel records through CUPTI: what ran on the device, when, and with which resources.

The rule: records are the driver's, not the program's. They are collected in the process that
launched the kernels, so that its code could tamper with them: they may convict, never acquit.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.errors import DeviceError

_LIBRARIES = ("libcupti.so.13", "libcupti.so.12", "libcupti.so")
_CONCURRENT_KERNEL = 10
_WHOLE_GRAPH = 51  # records of graphs in one piece, where those of their kernels are left out
_BUFFER_BYTES = 1 << 20
_FLUSH_FORCED = 1
_MOST_RECORDS = 1 << 18


@dataclass(frozen=True)
class KernelRecord:
    """One kernel that ran."""

    name: str
    start_ns: int
    end_ns: int
    stream: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    registers: int
    shared_bytes: int
    symbol: str = ""  # the name before it is demangled
    launch: int = 0  # the number of what the driver was asked for


class _Head(ctypes.Structure):
    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("cache", ctypes.c_uint8),
        ("shared_config", ctypes.c_uint8),
        ("registers", ctypes.c_uint16),
        ("partitioned_requested", ctypes.c_uint32),
        ("partitioned_executed", ctypes.c_uint32),
        ("start", ctypes.c_uint64),
        ("end", ctypes.c_uint64),
        ("completed", ctypes.c_uint64),
        ("device", ctypes.c_uint32),
        ("context", ctypes.c_uint32),
        ("stream", ctypes.c_uint32),
        ("grid", ctypes.c_int32 * 3),
        ("block", ctypes.c_int32 * 3),
        ("static_shared", ctypes.c_int32),
        ("dynamic_shared", ctypes.c_int32),
        ("local_per_thread", ctypes.c_uint32),
        ("local_total", ctypes.c_uint32),
        ("correlation", ctypes.c_uint32),
        ("grid_id", ctypes.c_int64),
        ("name", ctypes.c_char_p),
    )


_Requested = ctypes.CFUNCTYPE(
    None,
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.POINTER(ctypes.c_size_t),
    ctypes.POINTER(ctypes.c_size_t),
)
_Completed = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
)


class CuptiTrace:
    """Collects records between `start` and `stop`. One a process: the callbacks are CUPTI's."""

    def __init__(self) -> None:
        self._library = _load()
        self._buffers: dict[int, Any] = {}
        self._found: list[KernelRecord] = []
        self._lost = 0
        self._requested = _Requested(self._lend)
        self._completed = _Completed(self._take)
        self._call("cuptiActivityRegisterCallbacks", self._requested, self._completed)

    def start(self) -> None:
        """From now on; what a candidate has had recorded before is let go."""
        self._call("cuptiActivityFlushAll", _FLUSH_FORCED)
        self._found.clear()
        self._lost = 0
        self._library.cuptiActivityDisable(_WHOLE_GRAPH)  # an error where it is not on
        self._call("cuptiActivityEnable", _CONCURRENT_KERNEL)

    def stop(self) -> list[KernelRecord]:
        """All that ran since; the device must have come to rest. Raises where some is not known."""
        self._call("cuptiActivityFlushAll", _FLUSH_FORCED)
        self._call("cuptiActivityDisable", _CONCURRENT_KERNEL)
        if self._lost:
            raise DeviceError(f"{self._lost} kernels ran beyond the {_MOST_RECORDS} that are kept")
        return sorted(self._found, key=lambda record: record.start_ns)

    def _lend(self, buffer: Any, size: Any, most: Any) -> None:
        memory = ctypes.create_string_buffer(_BUFFER_BYTES + 8)
        address = (ctypes.addressof(memory) + 7) // 8 * 8
        self._buffers[address] = memory
        buffer[0], size[0], most[0] = address, _BUFFER_BYTES, 0

    def _take(self, _context: int, _stream: int, buffer: int, _size: int, valid: int) -> None:
        record = ctypes.c_void_p()
        following = self._library.cuptiActivityGetNextRecord
        address, room = ctypes.c_void_p(buffer), ctypes.c_size_t(valid)
        while valid and not following(address, room, ctypes.byref(record)):
            head = _Head.from_address(record.value or 0)
            if head.kind == _CONCURRENT_KERNEL:
                if len(self._found) < _MOST_RECORDS:
                    self._found.append(_record(head))
                else:
                    self._lost += 1
        self._buffers.pop(buffer, None)

    def _call(self, name: str, *arguments: Any) -> None:
        code = getattr(self._library, name)(*arguments)
        if code:
            raise DeviceError(f"{name} failed with CUPTI error {code}")


def cupti_library() -> ctypes.CDLL | None:
    """CUPTI, or None where it is not installed."""
    try:
        return _load()
    except DeviceError:
        return None


def _load() -> ctypes.CDLL:
    for name in _LIBRARIES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise DeviceError("CUPTI is not installed: it comes with the CUDA build of torch")


def _record(head: _Head) -> KernelRecord:
    return KernelRecord(
        name=demangled(head.name or b""),
        start_ns=head.start,
        end_ns=head.end,
        stream=head.stream,
        grid=tuple(head.grid),
        block=tuple(head.block),
        registers=head.registers,
        shared_bytes=head.static_shared + head.dynamic_shared,
        symbol=(head.name or b"").decode("utf-8", "replace"),
        launch=head.correlation,
    )


@functools.cache
def demangled(name: bytes) -> str:
    """A C++ symbol in words; anything else as it is."""
    if not name.startswith(b"_Z"):
        return name.decode("utf-8", "replace")
    demangle = _demangler()
    status = ctypes.c_int()
    text = demangle(name, None, None, ctypes.byref(status)) if demangle else None
    found = ctypes.string_at(text) if text and not status.value else name
    return found.decode("utf-8", "replace")


def _demangler() -> Callable[..., int | None] | None:
    try:
        found = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    except (OSError, AttributeError):
        return None
    found.restype = ctypes.c_void_p
    return found
