"""Batch: a run of calls whose results all stay alive until the last has been handed over."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from assay.worker.child.bait import lay_bait
from assay.worker.child.memory import Memory
from assay.worker.child.operations import OperationLog
from assay.worker.child.refusal import described, is_own_check
from assay.worker.protocol import (
    DTYPES,
    MAX_DIMS,
    Call,
    CallCode,
    CallRecord,
    OutputFlag,
    OutputHeader,
    Plain,
    RunBatch,
    Slot,
)
from assay.worker.sandbox.syscalls import poison_allocations


@dataclass
class _Result:
    code: CallCode
    value: Any
    inside_ns: int
    message: str = ""


class Batch:
    """One batch and its results; they live until the next batch takes this one's place."""

    def __init__(self, request: RunBatch, instances: dict[int, Any], memory: Memory) -> None:
        self._request = request
        self._instances = instances
        self._memory = memory
        self._results: list[_Result] = []
        self._held: list[torch.Tensor] = []

    def run(self) -> str:
        """Call and hand over; returns the operation log, one line an operation."""
        request = self._request
        log = OperationLog() if request.log_operations else None
        with _poisoned(request.poison):
            prepared = [_prepare(call, self._memory) for call in request.calls]
            for number, (call, inputs) in enumerate(zip(request.calls, prepared, strict=True)):
                if request.bait is not None and number:
                    last = flatten(self._results[-1].value)
                    self._held = lay_bait(last, request.bait + number)
                result = _call(self._instances[call.instance], inputs, log)
                self._results.append(result)
                if request.copy_each:
                    self._hand_over(call, result)
            if not request.copy_each:
                self.hand_over()
            for index, call in enumerate(request.calls):
                _mark_shared(call, index, self._results, self._memory)
        return log.text() if log is not None else ""

    def hand_over(self) -> None:
        """Copy every result into its slots."""
        for call, result in zip(self._request.calls, self._results, strict=True):
            self._hand_over(call, result)

    def _hand_over(self, call: Call, result: _Result) -> None:
        _hand_over(call, result, self._instances[call.instance], self._memory)


@contextlib.contextmanager
def _poisoned(on: bool) -> Iterator[None]:
    poison_allocations(on)
    try:
        yield
    finally:
        poison_allocations(False)


def _prepare(call: Call, memory: Memory) -> list[Any]:
    return [v.value if isinstance(v, Plain) else memory.tensor(v) for v in call.inputs]


def _call(instance: Any, inputs: list[Any], log: OperationLog | None) -> _Result:
    watch = log if log is not None else contextlib.nullcontext()
    try:
        with torch.no_grad(), watch:
            start = time.perf_counter_ns()
            value = instance(*inputs)
            end = time.perf_counter_ns()
        return _Result(CallCode.RETURNED, value, end - start)
    except MemoryError as error:
        return _Result(CallCode.OUT_OF_MEMORY, None, 0, repr(error))
    except BaseException as error:  # SystemExit and KeyboardInterrupt are the candidate's too
        text = described(error)
        code = CallCode.RAISED if is_own_check(error) else CallCode.BROKE
        exhausted = "can't allocate memory" in text
        return _Result(CallCode.OUT_OF_MEMORY if exhausted else code, None, 0, text)


def flatten(value: Any) -> list[Any]:
    """Leaves of nested tuples, lists and dicts, in order; Python numbers count as tensors."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in flatten(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flatten(item)]
    if isinstance(value, (bool, int, float, complex)):
        return [torch.tensor(value)]
    return [] if value is None else [value]


def _hand_over(call: Call, result: _Result, instance: Any, memory: Memory) -> None:
    """Copy outputs, then buffers, then the record, into slots the host owns."""
    leaves: list[Any] = []
    if result.code is CallCode.RETURNED:
        leaves = flatten(result.value)
    count = len(leaves)
    if call.buffers and count:
        held = dict(instance.named_buffers())
        leaves = leaves[: len(call.outputs) - len(call.buffers)]
        leaves += [held.get(name) for name in call.buffers]
    for leaf, slot in zip(leaves, call.outputs, strict=False):
        _copy_out(leaf, slot, memory)
    record = CallRecord(result.code, count, result.inside_ns, result.message)
    memory.write(call.record, record.pack())


def _extent(value: Any) -> list[tuple[int, int]]:
    """First byte and end of every plain tensor in a result."""
    return [
        (leaf.data_ptr(), leaf.data_ptr() + _span(leaf) * leaf.element_size())
        for leaf in flatten(value)
        if type(leaf) is torch.Tensor and leaf.layout is torch.strided and leaf.numel()
    ]


def _span(tensor: torch.Tensor) -> int:
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))


def _mark_shared(call: Call, index: int, results: list[_Result], memory: Memory) -> None:
    """Two live results of one batch must not share memory."""
    if len(results) < 2 or results[index].code is not CallCode.RETURNED or not call.outputs:
        return
    own = _extent(results[index].value)
    others = [e for i, r in enumerate(results) if i != index for e in _extent(r.value)]
    if any(a < d and c < b for a, b in own for c, d in others):
        memory.mark(call.outputs[0], OutputFlag.SHARED)


def _copy_out(leaf: Any, slot: Slot, memory: Memory) -> None:
    """A lazy or wrapped tensor is described, never touched: touching would compute it."""
    if type(leaf) is not torch.Tensor:
        flags = OutputFlag.TENSOR if isinstance(leaf, torch.Tensor) else OutputFlag(0)
        memory.write(slot, OutputHeader(type(leaf).__name__, (), flags, 0).pack())
        return
    name = str(leaf.dtype).removeprefix("torch.")
    nbytes = 0 if leaf.is_nested else leaf.numel() * leaf.element_size()
    flags = OutputFlag.TENSOR | OutputFlag.EXACT_TYPE
    here = leaf.device.type == "cpu" and leaf.layout is torch.strided
    flags |= OutputFlag.ON_CPU if here else OutputFlag(0)
    hung = [name for name in leaf.__dict__ if not name.startswith("_dynamo")]  # torch hangs those
    flags |= OutputFlag.BARE if not hung else OutputFlag(0)
    plain = leaf.layout is torch.strided and leaf.device.type == "cpu" and leaf.dim() <= MAX_DIMS
    if plain and nbytes <= slot.capacity and name in DTYPES:
        flags |= OutputFlag.FITS
        if nbytes:
            room = Slot(slot.arena, slot.offset + OutputHeader.BYTES, slot.capacity)
            memory.flat(room, leaf.dtype, leaf.numel()).view(leaf.shape).copy_(leaf.detach())
    shape = () if leaf.is_nested else tuple(leaf.shape)
    memory.write(slot, OutputHeader(name, shape, flags, nbytes).pack())
