"""GatedBatch: calls queued on the device behind a gate that only the host opens.

The rule: whatever a call costs the host is paid before the gate opens, and whatever it costs the
device after; the inputs are written in between, by the host, so that nothing can be computed ahead.
The inside time is between two events around all calls; the results are copied out behind them.
"""

from __future__ import annotations

import ctypes
from typing import Any

from assay.sandbox.child.batch import Answer, call_once, copy_data, flatten, hand_over, prepare
from assay.sandbox.child.child_memory import Memory
from assay.sandbox.child.mapped_arena import HostMapped
from assay.sandbox.protocol.requests import (
    DONE_WORD,
    ENQUEUED_WORD,
    GATE_WORD,
    LAUNCHED_WORD,
    STARTED_WORD,
    WORD_BYTES,
    RunGated,
)

_SPARE_BYTES = 1 << 16


class ChildGate:
    """The words both sides see, and the events on either side of the calls."""

    def __init__(self, mapped: HostMapped, memory: Memory) -> None:
        assert memory.accelerator is not None
        self.driver = memory.accelerator.driver
        self._mapped = mapped
        address = ctypes.addressof(ctypes.c_char.from_buffer(mapped.map))
        self._words = self.driver.register(address, len(mapped.map))
        self.start, self.end = self.driver.event(), self.driver.event()
        self._spare = self.driver.allocate(_SPARE_BYTES)

    def close_until(self, stream: int, number: int) -> None:
        """The stream goes on when the host says `number`.

        The device has to turn from the host's process to this one, which is none of the calls'
        time: something small is run before the clock starts.
        """
        self.driver.wait_value(stream, self._words + GATE_WORD * WORD_BYTES, number)
        self.driver.fill_in(stream, self._spare, 0, _SPARE_BYTES)
        self.driver.record(self.start, stream)

    def done(self, stream: int, number: int) -> None:
        """The stream says `number` when it gets here."""
        self.driver.write_value(stream, self._words + DONE_WORD * WORD_BYTES, number)

    def say(self, word: int, number: int) -> None:
        """Tell the host that some part of batch `number` is done."""
        self._mapped.write(word * WORD_BYTES, number.to_bytes(WORD_BYTES, "little"))


class GatedBatch:
    """One batch and its results, which live until the next one takes its place."""

    def __init__(self, request: RunGated, instances: dict[int, Any], memory: Memory) -> None:
        self._request = request
        self._instances = instances
        self._memory = memory
        self._results: list[Answer] = []

    def run(self, gate: ChildGate) -> str:
        """Queue, say so, wait for the end; the records carry the mean inside time."""
        request, memory = self._request, self._memory
        assert memory.accelerator is not None
        prepared = [prepare(call, memory) for call in request.calls]
        memory.accelerator.finish()
        stream = memory.accelerator.stream_handle
        gate.close_until(stream, request.number)
        gate.say(STARTED_WORD, request.number)
        for call, inputs in zip(request.calls, prepared, strict=True):
            self._results.append(call_once(self._instances[call.instance], inputs, None))
        gate.driver.record(gate.end, stream)
        memory.accelerator.take_back()
        gate.say(LAUNCHED_WORD, request.number)
        for call, result in zip(request.calls, self._results, strict=True):
            for leaf, slot in zip(flatten(result.value), call.outputs, strict=False):
                copy_data(leaf, slot, memory)
        gate.done(stream, request.number)
        gate.say(ENQUEUED_WORD, request.number)
        memory.accelerator.finish()
        inside_us = gate.driver.elapsed_us(gate.start, gate.end) / len(request.calls)
        for call, result in zip(request.calls, self._results, strict=True):
            result.inside_ns = int(1e3 * inside_us)
            hand_over(call, result, self._instances[call.instance], memory, data=False)
        return ""
