"""Session: one candidate alive behind the wall, fed and read through shared memory.

The rule: inputs are written while the tree stands still, and outputs are taken as they are the
moment the tree stands still again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from assay.data.observations.observation import LayersSeen
from assay.errors import HostError
from assay.sandbox.host.arena import Arena, Edge, HostArena
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.input_regions import reserve_inputs
from assay.sandbox.host.planned_call import BatchOptions, Laid, PlannedCall
from assay.sandbox.host.raw_call import BatchResult, RawCall, RawOutput, RawUpdate
from assay.sandbox.host.runner_reading import changed_runner
from assay.sandbox.host.sandboxed_process import KEPT_PROCESSES, ProcessLost, SandboxedProcess
from assay.sandbox.host.shared_memory import SharedMemory, view
from assay.sandbox.host.tensor_bytes import from_bytes
from assay.sandbox.host.wall import Wall
from assay.sandbox.layers.confinement import HIDDEN_PACKAGES
from assay.sandbox.layers.spec import Isolation
from assay.sandbox.protocol.replies import (
    CallCode,
    CallRecord,
    OutputFlag,
    OutputHeader,
    Reply,
    ReplyCode,
    StateMatch,
)
from assay.sandbox.protocol.requests import (
    CONTROL_ARENA,
    STATEMENT_BYTES,
    HandOverAgain,
    HandOverHeld,
    LoadState,
    MapArena,
    MeasureGap,
    Protect,
    Request,
    RunBatch,
    Slot,
    Survey,
    TraceKernels,
)

_FIRST_DATA_ARENA = 2
_ATTACH_TIMEOUT_S = 30.0  # to map an arena or close pages
_GRACE_S = 0.1  # that a process is let run before its results are read again
_HEAD = OutputHeader.BYTES


@dataclass(frozen=True)
class HeldBatch:
    """A batch whose results stay alive, as they were when its last call returned."""

    laid: tuple[Laid, ...]
    found: tuple[RawCall, ...]

    @property
    def workload(self) -> int:
        """Whose shape its first call has."""
        return self.laid[0].planned.place.workload


class Session:
    """Owns the process and the memory; closing it ends both."""

    def __init__(self, wall: Wall, all_packages: bool = False, threads: int | None = None) -> None:
        self._wall = wall
        self.idle_probe = wall.idle_probe  # of the device, where there is one
        self.process: SandboxedProcess = wall.raise_sandbox(all_packages, threads)
        self._control = HostArena(CONTROL_ARENA, STATEMENT_BYTES)
        self.memory = SharedMemory(_FIRST_DATA_ARENA, self.attach, wall.arenas)
        self._laid: list[Laid] = []
        self.held: list[HeldBatch] = []
        self._lent: list[Arena] = []  # that others made, and that end with the session
        self._meet()
        self.layers = tuple(self.statement().splitlines()) + self.process.processes.layers
        self.gap_us = self._gap_us()

    def _meet(self) -> None:
        """The first request; who does not survive it was failed by the machine, or by us."""
        try:
            self.attach(MapArena(CONTROL_ARENA, self._control.size), self._control)
        except ProcessLost as lost:
            text = f"{lost.text}: {self.process.output().strip()[-500:]}"
            self._wall.end(self.process)
            raise HostError(f"the sandboxed process did not start: {text}") from lost

    def layers_seen(self) -> LayersSeen:
        """Which layers of the wall hold, and which this machine lacks."""
        isolation = self._wall.isolation
        missing = [] if isolation is Isolation.NAMESPACES else ["namespaces"]
        if isolation is Isolation.NONE:
            missing += ["landlock", "seccomp", HIDDEN_PACKAGES]
        return LayersSeen(
            held=self.layers,
            missing=tuple(missing),
            isolated=isolation is not Isolation.NONE,
            hidden_packages=self._wall.packages.hidden,
        )

    def _gap_us(self) -> float | None:
        """Between two launches on the device, said before a candidate is there to say it."""
        if self.idle_probe is None:
            return None
        reply = self.ask(MeasureGap(), Deadline.after(_ATTACH_TIMEOUT_S))
        return reply.count / 1e6 if reply.code == ReplyCode.OK and reply.count else None

    @property
    def wall(self) -> Wall:
        """That its process stands behind."""
        return self._wall

    def ask(self, request: Request, deadline: Deadline) -> Reply:
        """One request outside any batch."""
        return self.process.ask(request, deadline)[0]

    def statement(self) -> str:
        """The text the child left with its last reply. Testimony."""
        data = self._control.bytes
        length = min(int.from_bytes(data[:4].tobytes(), "little"), STATEMENT_BYTES - 4)
        return data[4 : 4 + length].tobytes().decode("utf-8", "replace")

    def survey(self, deadline: Deadline) -> list[str]:
        """What changed in its process: the runner, read from outside, and what the child says."""
        self.ask(Survey(), deadline)
        seen = changed_runner(self.process.init_pid, self._wall.runner_memory)
        return [*seen, *self.statement().splitlines()]

    def load_state(
        self, instance: int, state: Mapping[str, torch.Tensor], deadline: Deadline
    ) -> StateMatch:
        """Give an instance its weights, in place."""
        tensors = {name: value.detach().contiguous() for name, value in state.items()}
        regions = {
            name: self.memory.reserve(("state", instance, name), tensor.nbytes, Edge.MIDDLE)
            for name, tensor in tensors.items()
        }
        self.memory.guard()
        self.process.freeze()
        entries = []
        for name, tensor in tensors.items():
            self.memory.put(regions[name], tensor)
            entries.append((name, view(tensor, regions[name], False)))
        self.memory.settle()
        reply = self.ask(LoadState(instance, tuple(entries)), deadline)
        if reply.code != ReplyCode.OK or reply.count not in tuple(StateMatch):
            return StateMatch.NONE
        return StateMatch(reply.count)

    def run(
        self, calls: Sequence[PlannedCall], options: BatchOptions, deadline: Deadline
    ) -> BatchResult:
        """Freeze, write, thaw and start the clock, stop it at "done", freeze, take."""
        laid = [self.lay(call, index) for index, call in enumerate(calls)]
        self.memory.guard()
        self._laid = laid
        self.process.freeze()
        for one in {id(call): one for call, one in zip(calls, laid, strict=True)}.values():
            self.write(one)  # a call that is planned several times needs its inputs once
        self.memory.settle()
        batch = tuple(one.call() for one in laid)
        request = RunBatch(
            batch,
            options.copy_each,
            options.poison,
            options.log_operations,
            options.planted_seed,
            options.apart,
            options.moved,
            options.held,
            options.surroundings,
        )
        reply, outside_ns = self.process.ask(request, deadline)
        self.process.freeze()
        found = tuple(self._told(self.take(one, options), reply) for one in laid)
        self.held += [HeldBatch(tuple(laid), found)] if options.held else []
        return BatchResult(found, outside_ns, self._extra_processes(), self.statement())

    def _told(self, raw: RawCall, reply: Reply) -> RawCall:
        """A call without a record where the runner failed: that is a failure, and no early end.

        The device may be out of memory when results are handed over, or report a fault of before.
        """
        if raw.record is not None or reply.code == ReplyCode.OK:
            return raw
        full = reply.code == ReplyCode.OUT_OF_MEMORY
        text = (self.statement().strip().splitlines() or ["no reason was given"])[-1]
        code = CallCode.OUT_OF_MEMORY if full else CallCode.BROKE
        return replace(raw, record=CallRecord(code, 0, 0, f"around the call: {text}"))

    def run_rapidly(self, calls: Sequence[PlannedCall], deadline: Deadline) -> BatchResult:
        """One batch a call, all at one place, with as little as possible in between.

        What the call before has freed is left as it is, as in a timing loop: who looks for its last
        answer there finds it.
        """
        self._laid = [self.lay(call, index) for index, call in enumerate(calls)]
        self.memory.guard()
        outside_ns = 0
        for one in self._laid:
            request = RunBatch((one.call(),), copy_each=True, poison=False)
            self.process.freeze()
            self.write(one)
            self.memory.settle()
            outside_ns += self.process.ask(request, deadline)[1]
        self.process.freeze()
        options = BatchOptions(check_inputs=False)  # the next call's inputs lie there by now
        found = tuple(self.take(one, options) for one in self._laid)
        return BatchResult(found, outside_ns, self._extra_processes(), self.statement())

    def _extra_processes(self) -> int:
        """Processes beside the init process and the candidate's own, while everything stands
        still.
        """
        return max(0, len(self.process.processes.pids()) - KEPT_PROCESSES)

    def trace(self, calls: Sequence[PlannedCall], deadline: Deadline) -> Reply:
        """Calls whose kernels the child is to name; what they return is not looked at."""
        laid = [self.lay(call, index) for index, call in enumerate(calls)]
        self.memory.guard()
        self.process.freeze()
        for one in laid:
            self.write(one)
        self.memory.settle()
        return self.ask(TraceKernels(tuple(one.call() for one in laid)), deadline)

    def look_again(self, options: BatchOptions, deadline: Deadline) -> tuple[RawCall, ...]:
        """The same results once more, after the child had time it was not entitled to."""
        for one in self._laid:
            for region in one.slots:
                self.memory.poison(region)
        self.memory.settle()
        self.process.thaw()
        time.sleep(_GRACE_S)
        self.ask(HandOverAgain(), deadline)
        self.process.freeze()
        return tuple(self.take(one, options) for one in self._laid)

    def read_held(self, number: int, deadline: Deadline) -> tuple[RawCall, ...]:
        """The results of a batch that was held, as they are now.

        An error that an earlier launch left is told once, by whoever comes next: nothing changed.
        """
        laid = self.held[number].laid
        for one in laid:
            for region in one.slots:
                self.memory.poison(region)
        self.memory.settle()
        if self.ask(HandOverHeld(number), deadline).code != ReplyCode.OK:
            self.ask(HandOverHeld(number), deadline)
        self.process.freeze()
        return tuple(self.take(one, BatchOptions(check_inputs=False)) for one in laid)

    def close(self) -> None:
        """End the process and give the memory back."""
        self._wall.end(self.process)
        for arena in (self._control, *self._lent):
            arena.close()
        self.memory.close()

    def lend(self, arena: Arena) -> None:
        """Have the child map an arena that somebody else made."""
        self._lent.append(arena)
        self.attach(MapArena(arena.number, arena.size), arena)

    def attach(self, request: MapArena | Protect, arena: Arena) -> None:
        """Have the child map an arena, or close pages of it."""
        descriptors = arena.descriptors if isinstance(request, MapArena) else ()
        self.process.ask(request, Deadline.after(_ATTACH_TIMEOUT_S), descriptors)

    def lay(self, call: PlannedCall, index: int) -> Laid:
        """Reserve the regions of a call; `index` is its place among those whose results live."""
        inputs, outer = reserve_inputs(self.memory, call)
        heads = CallRecord.size()
        size = heads + _HEAD * len(call.output_bytes)
        record = self.memory.reserve(("record", index, size), size, Edge.START, on_host=True)
        slots = [
            self.memory.reserve(("slot", index, number, size), size, Edge.START)
            for number, size in enumerate(call.output_bytes)
        ]
        outputs = tuple(
            Slot(r.arena, r.offset, r.nbytes, (record.arena, record.offset + heads + i * _HEAD))
            for i, r in enumerate(slots)
        )
        spoken = Slot(record.arena, record.offset, CallRecord.size())
        return Laid(call, inputs, outer, spoken, outputs, (record, *slots))

    def write(self, one: Laid) -> None:
        """Put a call's inputs where they belong, and the pattern where its answers will."""
        for tensor, region in zip(one.planned.content.tensors, one.inputs, strict=True):
            self.memory.put(region, tensor)
        for region in one.slots:
            self.memory.poison(region)

    def take(self, one: Laid, options: BatchOptions) -> RawCall:
        """A call as its memory shows it now."""
        changed, broken, updates = [], [], {}
        free = one.planned.content.tensor_numbers(one.planned.updates)
        if options.check_inputs:
            pairs = zip(one.planned.content.tensors, one.inputs, strict=True)
            for number, (tensor, region) in enumerate(pairs):
                if number in free:
                    changed_now = not self.memory.holds(region, tensor)
                    updates[number] = RawUpdate(self.memory.held(region, tensor), changed_now)
                elif not self.memory.holds(region, tensor):
                    changed.append(f"input {number}")
                if not self.memory.bands_intact(one.outer[number]):
                    broken.append(f"input {number}")
        return RawCall(
            self.record(one),
            tuple(self._take_output(slot, one.planned.content.on_device) for slot in one.outputs),
            tuple(changed),
            tuple(broken),
            any(region.flush for region in one.inputs),
            tuple(updates[number] for number in free if number in updates),
        )

    def record(self, one: Laid) -> CallRecord | None:
        """What the child says of a call."""
        return CallRecord.unpack(self.memory.read(one.record, CallRecord.size()).tobytes())

    def _take_output(self, slot: Slot, left_on_device: bool) -> RawOutput:
        head = Slot(*slot.head, _HEAD)
        header = OutputHeader.unpack(self.memory.read(head, _HEAD).tobytes())
        if header is None or OutputFlag.FITS not in header.flags:
            return RawOutput(header, None)
        if not _consistent(header, slot):
            return RawOutput(None, None)
        if left_on_device and header.nbytes:
            kind: torch.dtype = getattr(torch, header.dtype)
            found = self.memory.copy(slot, header.nbytes)
            return RawOutput(header, found.view(kind).view(header.shape))
        data = self.memory.read(slot, header.nbytes)
        return RawOutput(header, from_bytes(data, header.dtype, header.shape))


def _consistent(header: OutputHeader, slot: Slot) -> bool:
    """A header is the child's word: its shape, dtype and size must fit each other and the slot."""
    kind: Any = getattr(torch, header.dtype, None)
    if not isinstance(kind, torch.dtype) or any(n < 0 for n in header.shape):
        return False
    count = 1
    for n in header.shape:
        count *= n
    return count * kind.itemsize == header.nbytes <= slot.capacity
