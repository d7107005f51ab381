"""CudaAccelerator: what the runner asks of the CUDA device it shares with the candidate.

The rule: the driver's functions are taken before candidate code is loaded. A fault on a device
cannot be mended within the process, so it ends the process, and the host sees how.
"""

from __future__ import annotations

import os
import time

import torch

from assay.devices.cuda_driver import PERSISTING_CACHE, CudaDriver, bytes_at
from assay.devices.launch_gap import LaunchGap
from assay.devices.recorder.cupti import CuptiTrace, cupti_library
from assay.devices.recorder.launches import Launches
from assay.devices.recorder.loaded_modules import LoadedModules
from assay.errors import DeviceError

_nextafter = torch.Tensor.nextafter_  # one thread for each element; kernels seldom launch it
_current_stream, _set_stream = torch.cuda.current_stream, torch.cuda.set_stream
_POISON = 255
_MARK_BYTES = 512
_MOST_POISONED = 256 << 20
_REST_NS = 100_000  # that a device which has come to rest may take to say so
_LEFT_BATCHES = 2  # of calls that left work behind, before it is told

_wall_ns, _busy_ns = time.perf_counter_ns, time.thread_time_ns


class CudaAccelerator:
    """One CUDA device, shared with torch through its primary context."""

    def __init__(self, tf32: bool = False) -> None:
        self.driver = CudaDriver()
        self.modules = LoadedModules.watched(cupti_library())  # before any candidate's is loaded
        self.launches = Launches(self.modules.subscriber)
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.cuda.init()
        self.stream = _current_stream()
        self._persisting = self._set_aside()
        self.strayed = False  # whether a call ever left another stream current
        self.mark_name = "nextafter"
        self._mark: torch.Tensor | None = None
        self._left_ns: list[int] = []  # that other streams worked on for after a batch of calls

    @property
    def stream_handle(self) -> int:
        """The stream that was current when the process began."""
        return self.stream.cuda_stream

    def take_back(self) -> None:
        """Make our stream current again: answers are taken in its order, whatever a call left."""
        if _current_stream() != self.stream:
            self.strayed = True
            _set_stream(self.stream)

    def lines(self) -> list[str]:
        """What a survey should know, `name<TAB>detail`."""
        left = ["torch.cuda.current_stream\tanother stream was left current"]
        size = self._set_aside()
        kept = [f"cuda.persisting_cache\t{self._persisting} -> {size} bytes"]
        changed = size != self._persisting
        return (left if self.strayed else []) + (kept if changed else []) + self._unjoined()

    def _unjoined(self) -> list[str]:
        if len(self._left_ns) < _LEFT_BATCHES:
            return []
        text = f"{len(self._left_ns)} batches of calls left work running on other streams"
        return [f"cuda.unjoined_work\t{text}, for up to {max(self._left_ns) / 1e3:.0f} us"]

    def _set_aside(self) -> int:
        """Bytes of the cache; none on a device that knows no such limit."""
        try:
            return self.driver.limit(PERSISTING_CACHE)
        except DeviceError:
            return 0

    def finish_calls(self) -> None:
        """Wait for our stream, then for all others: what these need longer was never joined.

        A driver that waits computes, and a process that has to wait for a processor does not: only
        time in which both clocks went on is the device's.
        """
        self.finish(self.stream_handle)
        wall, busy = _wall_ns(), _busy_ns()
        self.finish()
        left_ns = min(_wall_ns() - wall, _busy_ns() - busy)
        if left_ns > _REST_NS:
            self._left_ns.append(left_ns)

    def finish(self, stream: int | None = None) -> None:
        """Wait for all the work of every stream, or of one."""
        try:
            self.driver.synchronise(stream)
        except DeviceError as error:
            os.write(2, f"\n{error}\n".encode())
            os.abort()

    def gap_picoseconds(self) -> int:
        """Between two pieces of work; 0 on a device on which no stream can be made to wait."""
        try:
            self._gap = LaunchGap(self.driver, self.stream_handle)  # its page stays pinned
            return self._gap.picoseconds()
        except DeviceError:
            return 0

    def poison(self, sizes: list[int]) -> None:
        """Leave memory that was written over and is free for the next who asks for as much."""
        taken = [
            torch.empty(max(1, size), dtype=torch.uint8, device="cuda").fill_(_POISON)
            for size in sizes
            if size <= _MOST_POISONED
        ]
        taken.clear()

    def bytes_at(self, pointer: int, nbytes: int) -> torch.Tensor:
        """Through the form in which libraries exchange memory."""
        return bytes_at(pointer, nbytes)

    def mark(self) -> None:
        """One block, on the stream that calls are queued on."""
        if self._mark is None:
            pointer = self.driver.allocate(_MARK_BYTES)
            self._mark = bytes_at(pointer, _MARK_BYTES).view(torch.float32).zero_()
        _nextafter(self._mark, self._mark)

    def kernel_trace(self) -> CuptiTrace:
        """The driver's own records; one a process: CUPTI keeps its callbacks."""
        return CuptiTrace()
