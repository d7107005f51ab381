"""Batch: a run of calls whose results all stay alive until the last has been handed over."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch

from assay.sandbox.child.child_memory import Memory
from assay.sandbox.child.memory_poison import lay_poison, poisoned
from assay.sandbox.child.operation_log import OperationLog
from assay.sandbox.child.planted_memory import plant_memory
from assay.sandbox.child.raised_errors import described, is_exhausted, is_own_check
from assay.sandbox.child.shared_results import memory_flags
from assay.sandbox.child.surrounded.memory_taken import MemoryTaken
from assay.sandbox.child.surrounded.module_state import module_state
from assay.sandbox.child.surrounded.passing_instances import PassingInstances
from assay.sandbox.child.surrounded.thread_count import smaller_teams, thread_count
from assay.sandbox.child.surrounded.trained_inputs import trained_inputs
from assay.sandbox.child.surrounded.written_results import Span, spans, write_over
from assay.sandbox.child.untouched.held_state import buffers_of, parameters_of
from assay.sandbox.protocol.replies import (
    DTYPES,
    MAX_DIMS,
    CallCode,
    CallRecord,
    OutputFlag,
    OutputHeader,
)
from assay.sandbox.protocol.requests import Call, Plain, RunBatch, Slot
from assay.sandbox.protocol.surroundings import Surroundings

_STACK_BYTES = 64 << 20  # of a thread: no less than the main one may have
_WITHIN_A_CALL = OutputFlag.WITHIN | OutputFlag.OF_INPUT | OutputFlag.FOLDED


@dataclass
class Answer:
    """How one call went."""

    code: CallCode
    value: Any
    inside_ns: int
    message: str = ""


class Batch:
    """One batch and its results; they live until the next batch takes this one's place."""

    def __init__(
        self,
        request: RunBatch,
        instances: dict[int, Any],
        memory: Memory,
        held: Sequence[Batch] = (),
        passing: PassingInstances | None = None,
    ) -> None:
        self._request = request
        self._passing = passing or PassingInstances()
        self._alive = held  # batches whose results are alive beside these
        self._instances = instances
        self._memory = memory
        self._results: list[Answer] = []
        self._held: list[torch.Tensor] = []
        self._taken: list[MemoryTaken] = []  # since calls that returned
        self._given: list[Span] = []  # where its inputs lie

    def run(self) -> str:
        """Call and hand over; returns the operation log, one line an operation."""
        request = self._request
        log = OperationLog() if request.log_operations else None
        if request.poison and self._memory.accelerator is not None:
            sizes = [slot.capacity for call in request.calls for slot in call.outputs]
            self._memory.accelerator.poison(sizes)
        with poisoned(request.poison):
            prepared = [prepare(call, self._memory) for call in request.calls]
            for number, (call, inputs) in enumerate(zip(request.calls, prepared, strict=True)):
                if request.planted_seed is not None and number:
                    self._held.clear()  # before memory is planted, or this is what would be found
                    first = flatten(
                        self._results[0].value
                    )  # not yet a planted copy that was returned
                    self._held = plant_memory(first, request.planted_seed + number)
                if request.poison and self._memory.accelerator is None:
                    lay_poison([slot.capacity for slot in call.outputs])
                result = self._call(call.instance, inputs, log)
                self._results.append(result)
                if self._memory.accelerator is not None:
                    self._memory.accelerator.take_back()
                if request.copy_each:
                    self._hand_over(call, result)
                    self._keep_views(result)
            if not request.copy_each:
                self.hand_over()
                for result in self._results:
                    self._keep_views(result)
            if self._memory.accelerator is not None:
                self._memory.accelerator.finish_calls()
            for index, inputs in enumerate(prepared):
                self._mark_shared(index, inputs)
                self._given += spans(inputs)
        return log.text() if log is not None else ""

    def _keep_views(self, result: Answer) -> None:
        """Views keep a result's memory alive, as a caller's may; the objects returned may go.

        Not of what is to be planted, which must be the tensors themselves.
        """
        if self._request.planted_seed is None and result.code is CallCode.RETURNED:
            leaves = leaves_of(result.value)
            result.value = [x.detach() if type(x) is torch.Tensor else x for x in leaves]

    def _call(self, number: int, inputs: list[Any], log: OperationLog | None) -> Answer:
        """Who raises in other surroundings, and there again, is asked in the usual ones.

        Who answers the second time did not raise because of them.
        """
        request, instance = self._request, self._instances[number]
        make = self._passing.maker(number) if request.surroundings.passing else None
        if make is not None:
            answer = call_passing(make, inputs)
            if answer.code is CallCode.RETURNED:
                self._taken.append(MemoryTaken(leaves_of(answer.value)))
                return answer
        if not request.surroundings.usual:
            answer = call_elsewhere(instance, inputs, request.surroundings)
            if answer.code is CallCode.RETURNED or answers_again(instance, inputs, request):
                return answer
        return call_once(instance, inputs, log)

    def hand_over(self) -> None:
        """Copy every result into its slots."""
        for call, result in zip(self._request.calls, self._results, strict=True):
            self._hand_over(call, result)

    def write_over(self) -> None:
        """Change its results, which were read, where the task returns memory of its own."""
        if not (self._request.poison and self._request.apart):
            return
        modules = [self._instances.get(call.instance) for call in self._request.calls]
        held = [x for m in modules for x in (*parameters_of(m), *buffers_of(m).values())]
        alive = [leaf for batch in self._alive for leaf in batch.leaves]
        write_over(self.leaves, [*self._given, *spans(held), *spans(alive)])

    @property
    def leaves(self) -> list[Any]:
        """Everything that its calls returned."""
        return [leaf for result in self._results for leaf in leaves_of(result.value)]

    def _mark_shared(self, index: int, inputs: list[Any]) -> None:
        """Live results must not share memory, nor outputs of one call where that is asked."""
        call, result, request = self._request.calls[index], self._results[index], self._request
        alone = len(self._results) < 2 and not self._alive
        if (
            result.code is not CallCode.RETURNED
            or not call.outputs
            or (alone and not request.apart)
        ):
            return
        beside = [leaf for batch in self._alive for leaf in batch.leaves]
        for number, other in enumerate(self._results):
            beside += leaves_of(other.value) if number != index else []
        leaves = leaves_of(result.value)
        flags = memory_flags(leaves, inputs, beside)
        kept = OutputFlag.SHARED | (_WITHIN_A_CALL if request.apart else OutputFlag(0))
        kept |= OutputFlag.MOVED_LATER if request.moved else OutputFlag(0)
        for slot, flag in zip(call.outputs, flags, strict=False):
            if flag & kept:
                self._memory.mark(slot, flag & kept)

    def _hand_over(self, call: Call, result: Answer) -> None:
        hand_over(call, result, self._instances[call.instance], self._memory)


def prepare(call: Call, memory: Memory) -> list[Any]:
    """The arguments of a call."""
    return [v.value if isinstance(v, Plain) else memory.tensor(v) for v in call.inputs]


def call_elsewhere(instance: Any, inputs: list[Any], around: Surroundings) -> Answer:
    """As a server or a training loop calls: with gradients recorded, not in the main thread.

    Who raises leaves its inputs and buffers as they were: it is asked once more.
    """
    if _compiles_graphs():
        around = _once_each(around)
    held = buffers_of(instance)
    given = [x for x in (*inputs, *held.values()) if isinstance(x, torch.Tensor)]
    before = [x.clone() for x in given]
    with module_state(instance, around):
        answer = _called(instance, inputs, around)
    if answer.code is not CallCode.RETURNED:
        for value, saved in zip(given, before, strict=True):
            if not _same_bits(value, saved):
                value.detach().copy_(saved)
    return answer


def answers_again(instance: Any, inputs: list[Any], request: RunBatch) -> bool:
    """Whether who has just raised in surroundings answers there; graphs are asked for them once."""
    if _compiles_graphs():
        return False
    again = call_elsewhere(instance, inputs, request.surroundings)
    return again.code is CallCode.RETURNED


def _same_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Of one shape and dtype; a NaN is the same as itself."""
    first, second = (x.detach().reshape(-1).contiguous().view(torch.uint8) for x in (one, other))
    return torch.equal(first, second)


def _compiles_graphs() -> bool:
    """Whether torch.compile has made a graph of something; to have imported it is nothing."""
    frames = sys.modules.get("torch._dynamo.convert_frame")
    return frames is not None and getattr(frames, "FRAME_COUNTER", 1) > 0


_asked_of_graphs: set[str] = set()


def _once_each(around: Surroundings) -> Surroundings:
    """Graphs are made anew for most surroundings, which takes seconds: each kind is asked once."""
    new = {
        part.name
        for part in fields(around)
        if getattr(around, part.name) and part.name not in _asked_of_graphs
    }
    _asked_of_graphs.update(new - {"other_thread"})
    return Surroundings(**dict.fromkeys(new, True))


def call_passing(make: Callable[[], Any], inputs: list[Any]) -> Answer:
    """As in `Model()(x)`: the result outlives the instance that made it."""
    try:
        instance = make()
    except BaseException as error:  # the constructor was called before, and is judged there
        return Answer(CallCode.RAISED, None, 0, described(error))
    answer, alive = call_once(instance, inputs, None), weakref.ref(instance)
    del instance
    if alive() is not None:
        gc.collect()
    return answer


def _called(instance: Any, inputs: list[Any], around: Surroundings) -> Answer:
    given = trained_inputs(inputs) if around.trained else inputs

    def call() -> Answer:
        teams = smaller_teams(around.smaller_teams)
        with thread_count(around.one_thread, around.more_threads), teams:
            return call_once(instance, given, None, around.recording or around.trained)

    if not around.other_thread:
        return call()
    answers: list[Answer] = []
    before = threading.stack_size(_STACK_BYTES)
    worker = threading.Thread(target=lambda: answers.append(call()))
    worker.start()
    threading.stack_size(before)
    worker.join()
    return answers[0]


def call_once(
    instance: Any, inputs: list[Any], log: OperationLog | None, recording: bool = False
) -> Answer:
    """Whatever a call does is its answer."""
    watch = log if log is not None else contextlib.nullcontext()
    try:
        with torch.set_grad_enabled(recording), watch:
            start = time.perf_counter_ns()
            value = leaves_of(instance(*inputs))  # once: a container may give others next time
            end = time.perf_counter_ns()
        return Answer(CallCode.RETURNED, value, end - start)
    except MemoryError as error:
        return Answer(CallCode.OUT_OF_MEMORY, None, 0, repr(error))
    except BaseException as error:  # SystemExit and KeyboardInterrupt are the candidate's too
        text = described(error)
        code = CallCode.RAISED if is_own_check(error) else CallCode.BROKE
        exhausted = is_exhausted(text)
        return Answer(CallCode.OUT_OF_MEMORY if exhausted else code, None, 0, text)


def flatten(value: Any) -> list[Any]:
    """Leaves of nested containers, in order; Python numbers count as tensors."""
    numbers = (bool, int, float, complex)
    return [torch.tensor(x) if isinstance(x, numbers) else x for x in leaves_of(value)]


def leaves_of(value: Any) -> list[Any]:
    """Leaves of nested containers, in order, as they are.

    Containers are tuples, lists, mappings and dataclasses, as `tasks.outputs.flatten` has them.
    """
    if isinstance(value, Mapping):
        return [leaf for item in value.values() for leaf in leaves_of(item)]
    if is_dataclass(value) and not isinstance(value, type):
        return [leaf for part in fields(value) for leaf in leaves_of(getattr(value, part.name))]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves_of(item)]
    return [] if value is None else [value]


def hand_over(call: Call, result: Answer, instance: Any, memory: Memory, data: bool = True) -> None:
    """Copy outputs, then buffers, then the record, into slots the host owns.

    Without `data` the outputs' bytes lie there already.
    """
    leaves: list[Any] = []
    if result.code is CallCode.RETURNED:
        leaves = flatten(result.value)
    count = len(leaves)
    if call.buffers and result.code is CallCode.RETURNED:
        held = buffers_of(instance)
        leaves = leaves[: len(call.outputs) - len(call.buffers)]
        leaves += [held.get(name) for name in call.buffers]
    for leaf, slot in zip(leaves, call.outputs, strict=False):
        _copy_out(leaf, slot, memory, data)
    if data and result.code is CallCode.RETURNED and not any(map(_has_elements, leaves)):
        _raise_left_error(memory)
    record = CallRecord(result.code, count, result.inside_ns, result.message)
    memory.write(call.record, record.pack())


def _has_elements(leaf: Any) -> bool:
    return type(leaf) is torch.Tensor and leaf.numel() > 0


def _raise_left_error(memory: Memory) -> None:
    """A launch that failed unseen, as one without blocks does, is told by the next operation.

    A copy of the results is one. Where there is nothing to copy, a later call would be blamed.
    """
    if memory.accelerator is not None:
        memory.accelerator.mark()


def copy_data(leaf: Any, slot: Slot, memory: Memory) -> bool:
    """Copy a plain tensor's bytes into its slot; False where that cannot be."""
    if type(leaf) is not torch.Tensor or leaf.layout is not torch.strided or leaf.is_nested:
        return False
    nbytes, known = leaf.numel() * leaf.element_size(), _name(leaf) in DTYPES
    fits = leaf.dim() <= MAX_DIMS and nbytes <= slot.capacity and known
    if not (fits and (leaf.is_cpu or leaf.device.type == memory.device.type)):
        return False
    if nbytes:
        memory.flat(slot, leaf.dtype, leaf.numel()).view(leaf.shape).copy_(leaf.detach())
    return True


def _name(leaf: torch.Tensor) -> str:
    return str(leaf.dtype).removeprefix("torch.")


def _copy_out(leaf: Any, slot: Slot, memory: Memory, data: bool) -> None:
    """A lazy or wrapped tensor is described, never touched: touching would compute it."""
    if type(leaf) is not torch.Tensor:
        flags = OutputFlag.TENSOR if isinstance(leaf, torch.Tensor) else OutputFlag(0)
        memory.describe(slot, OutputHeader(type(leaf).__name__, (), flags, 0))
        return
    nbytes = 0 if leaf.is_nested else leaf.numel() * leaf.element_size()
    flags = OutputFlag.TENSOR | OutputFlag.EXACT_TYPE
    here = leaf.device.type == memory.device.type and leaf.layout is torch.strided
    flags |= OutputFlag.ON_DEVICE if here else OutputFlag(0)
    hung = [name for name in leaf.__dict__ if not name.startswith("_dynamo")]  # torch hangs those
    flags |= OutputFlag.BARE if not hung else OutputFlag(0)
    if not data or copy_data(leaf, slot, memory):
        flags |= OutputFlag.FITS
    shape = () if leaf.is_nested else tuple(leaf.shape)
    memory.describe(slot, OutputHeader(_name(leaf), shape, flags, nbytes))
