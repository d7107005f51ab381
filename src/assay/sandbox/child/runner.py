"""The runner: serves the host's requests inside the candidate's process.

The rule: everything here can be read and patched by the candidate, so nothing here is trusted, and
nothing here knows an answer, a tolerance or a seed that is still to be used.
"""

from __future__ import annotations

import os
import socket
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

import torch

from assay.devices.driver import Accelerator
from assay.errors import DeviceError
from assay.sandbox.child.audit_events import Audit
from assay.sandbox.child.batch import Batch
from assay.sandbox.child.child_memory import Memory
from assay.sandbox.child.compiling import TritonModule, run_tool
from assay.sandbox.child.gated_calls import ChildGate, GatedBatch
from assay.sandbox.child.generated_kernels import generated_lines
from assay.sandbox.child.kernel_log import KernelLog, code_text, failure
from assay.sandbox.child.loading import construct, copied, load_entry, load_state
from assay.sandbox.child.package_finder import show_only
from assay.sandbox.child.raised_errors import described, is_exhausted, is_own_check
from assay.sandbox.child.state_snapshot import Snapshot, watch_thread_setting
from assay.sandbox.child.surrounded.passing_instances import PassingInstances
from assay.sandbox.child.timed_calls import TimedCalls
from assay.sandbox.child.untouched.parameter_prints import ParameterPrints
from assay.sandbox.child.untouched.random_state import RandomState
from assay.sandbox.layers.spec import SandboxSpec
from assay.sandbox.protocol import wire
from assay.sandbox.protocol.replies import Reply, ReplyCode, StateMatch
from assay.sandbox.protocol.requests import (
    GATE_ARENA,
    CompileTriton,
    Construct,
    HandOverAgain,
    HandOverHeld,
    ListCode,
    Load,
    LoadState,
    MapArena,
    MeasureGap,
    PlanTimed,
    Protect,
    Request,
    RunBatch,
    RunGated,
    RunTimed,
    RunTool,
    Survey,
    TraceKernels,
)

_OUR_FOLDER = str(Path(__file__).resolve().parents[2])


class Runner:
    """The state of one candidate's process."""

    def __init__(self, layers: tuple[str, ...], memory: Memory) -> None:
        self.layers = layers
        self.memory = memory
        self.before: Snapshot | None = None
        self.audit: Audit | None = None
        self.entry: Any = None
        self.instances: dict[int, torch.nn.Module] = {}
        self.passing = PassingInstances()
        self.prints = ParameterPrints()
        self.generators = RandomState()
        self.batch: Batch | None = None
        self.held: list[Batch] = []  # whose results stay alive until calls are timed
        self.silenced: Callable[[], int] = int  # how many launches did nothing: none
        self.gated: GatedBatch | None = None
        self.timed: TimedCalls | None = None
        self.kernels: KernelLog | None = None
        self.triton: TritonModule | None = None
        self._gate: ChildGate | None = None

    def gate(self) -> ChildGate:
        """Made when the first batch is to wait for it."""
        if self._gate is None:
            self._gate = ChildGate(self.memory.host_map(GATE_ARENA), self.memory)
        return self._gate

    def _construct(self, request: Construct) -> torch.nn.Module:
        original = None if request.copy_of is None else self.instances.get(request.copy_of)
        instance = copied(original) if original is not None else None
        if instance is not None:
            return instance
        make = partial(construct, self.entry, request, self.memory.device)
        constructed: torch.nn.Module = self.passing.construct(request.instance, make)
        return constructed

    def release(self) -> None:
        """What earlier batches returned is free from here on."""
        self.batch = None
        self.held.clear()

    def _load_state(self, request: LoadState) -> int:
        number, instance = request.instance, self.instances[request.instance]
        self.prints.look(number, instance, small_only=True)
        match = load_state(instance, request, self.memory)
        self._wait_for_copies()
        if match is not StateMatch.NONE:
            by_name = match is StateMatch.NAMES  # by order it is all that the module saves
            given = [name for name, _ in request.entries] if by_name else instance.state_dict()
            self.prints.note(number, instance, given)
        return match

    def _run_batch(self, request: RunBatch) -> str:
        held = tuple(self.held)
        if self.batch is not None and self.batch not in held:
            self.batch.write_over()
        self.batch = Batch(request, self.instances, self.memory, held, self.passing)
        self.held += [self.batch] if request.held else []
        self.prints.leave_out(name for call in request.calls for name in call.buffers)
        if request.surroundings.passing:
            self.generators.forget()
        said = self.batch.run()
        if not request.as_timed:
            self.generators.look()
        return said

    def _hand_over(self, batch: Batch) -> None:
        batch.hand_over()
        self._wait_for_copies()

    def _wait_for_copies(self) -> None:
        """The host reads and writes the shared memory of a device in the order of no stream."""
        accelerator = self.memory.accelerator
        if accelerator is not None:
            accelerator.finish(accelerator.stream_handle)

    def _kernel_log(self) -> KernelLog:
        assert self.memory.accelerator is not None
        self.kernels = self.kernels or KernelLog(self.memory.accelerator)
        return self.kernels

    def _recorded(self, work: Callable[[], str]) -> str:
        try:
            log = self._kernel_log()
        except DeviceError as error:
            work()
            return failure(error)
        return log.around(work)

    def handle(self, request: Request, descriptors: list[int]) -> tuple[int, str]:
        """Serve one request: a count and a text for the reply."""
        accelerator = self.memory.accelerator
        if accelerator is not None:
            accelerator.take_back()
        match request:
            case MapArena():
                self.memory.map(request, descriptors)
                return 0, "\n".join(self.layers)
            case Protect():
                self.memory.protect(request)
            case MeasureGap():
                assert accelerator is not None
                return accelerator.gap_picoseconds(), ""
            case Load():
                self._load(request)
            case Construct():
                self.instances[request.instance] = self._construct(request)
                self.generators.forget()
            case LoadState():
                return self._load_state(request), ""
            case RunBatch():
                return 0, self._run_batch(request)
            case PlanTimed():
                self.release()
                self.timed = TimedCalls(request, self.instances, self.memory)
            case RunTimed():
                assert self.timed is not None
                self.release()
                return self.timed.run(request.length), ""
            case RunGated():
                self.release()
                self.gated = GatedBatch(request, self.instances, self.memory)
                work = partial(self.gated.run, self.gate())
                return 0, self._recorded(work) if request.recorded else work()
            case TraceKernels():
                return 0, self._kernel_log().run(request, self.instances, self.memory)
            case ListCode():
                assert accelerator is not None
                return 0, code_text(accelerator.modules, request.page)
            case HandOverAgain():
                assert self.batch is not None
                self._hand_over(self.batch)
            case HandOverHeld():
                self._hand_over(self.held[request.number])
            case Survey():
                return self.silenced(), "\n".join(self._surveyed())
            case RunTool():
                return run_tool(request), ""
            case CompileTriton():
                self.triton = self.triton or TritonModule(request.path, request.target)
                return 0, self.triton.compile(request)
        return 0, ""

    def _load(self, request: Load) -> None:
        """Import the candidate, with the state before it kept and its audit events heard."""
        watch_thread_setting()
        self.before = Snapshot.take()
        self.audit = Audit(os.path.dirname(request.path), _allowed_paths())
        self.audit.install()
        if request.ablated:
            self.silenced = request.language.silence()
        self.entry = load_entry(request)

    def _surveyed(self) -> list[str]:
        """What changed since the candidate was loaded, and what was heard of it."""
        assert self.before is not None
        accelerator = self.memory.accelerator
        heard = list(self.audit.lines) if self.audit is not None else []
        heard += generated_lines() + self.generators.lines()
        for number, instance in self.instances.items():
            self.prints.look(number, instance)
        heard += self.prints.lines()
        heard += accelerator.lines() if accelerator is not None else []
        return [*self.before.changes(Snapshot.take()), *heard]


def _allowed_paths() -> tuple[str, ...]:
    """Where reading is ordinary: libraries, compilers, the scratch folder, harmless devices."""
    scratch, programs = os.environ.get("TMPDIR", "/tmp"), os.environ.get("PATH", "/bin").split(":")
    places = (sys.prefix, sys.base_prefix, scratch, "/tmp", "/usr", "/lib", "/lib64", *programs)
    return (*places, "/dev/", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/etc/ld.so")


def serve(channel: socket.socket, layers: tuple[str, ...], spec: SandboxSpec) -> None:
    """Answer requests until the host closes the channel."""
    torch.set_num_threads(spec.threads)
    show_only(spec.package_folders, spec.packages)
    if "numba" in sys.modules:  # imported in the warm parent, before the setting was there
        sys.modules["numba"].config.reload_config()
    runner = Runner(layers, Memory(_accelerator(spec), spec.torch_device))
    sequence = 0
    while True:
        try:
            request, descriptors = wire.receive(channel)
        except (EOFError, OSError):
            os._exit(0)
        sequence += 1
        code, count, text = _attempt(runner, request, descriptors)
        runner.memory.state(text)
        channel.sendall(Reply(sequence, code, count).pack())


def _accelerator(spec: SandboxSpec) -> Accelerator | None:
    """What the warm parent has imported: here its file is out of reach."""
    if not spec.accelerator:
        return None
    module, _, attribute = spec.accelerator.partition(":")
    if module not in sys.modules:
        raise DeviceError(f"the warm parent could not import {module}")
    found: Accelerator = getattr(sys.modules[module], attribute)(spec.tf32)
    return found


def _beyond_us(error: BaseException) -> TracebackType | None:
    """The traceback from the candidate's own first frame on."""
    step = error.__traceback__
    while step is not None and step.tb_frame.f_code.co_filename.startswith(_OUR_FOLDER):
        step = step.tb_next
    while step is not None and step.tb_frame.f_code.co_filename.startswith("<frozen importlib"):
        step = step.tb_next
    return step


def _attempt(
    runner: Runner, request: Request, descriptors: list[int]
) -> tuple[ReplyCode, int, str]:
    try:
        count, text = runner.handle(request, descriptors)
        return ReplyCode.OK, count, text
    except MemoryError:
        return ReplyCode.OUT_OF_MEMORY, 0, "MemoryError"
    except BaseException as error:  # SystemExit and KeyboardInterrupt are the candidate's too
        lines = traceback.format_exception(type(error), error, _beyond_us(error))
        if isinstance(error, AssertionError):
            lines[-1] = described(error)
        text = "".join(lines)
        if runner.memory.accelerator is not None:
            runner.memory.accelerator.finish()  # a device that faulted ends the process here
        code = ReplyCode.RAISED if is_own_check(error) else ReplyCode.BROKE
        return ReplyCode.OUT_OF_MEMORY if is_exhausted(text) else code, 0, text
