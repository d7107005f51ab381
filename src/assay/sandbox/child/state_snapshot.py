"""Snapshot: process-wide state a candidate has no business changing.

Testimony: a candidate can hide a change from it. What it does show is an attempt, and counts.
"""

from __future__ import annotations

import atexit
import builtins
import ctypes
import gc
import itertools
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import torch

from assay.sandbox.child.untouched.native_settings import follows_torch, native_settings
from assay.sandbox.layers.syscalls import kernel_clock_ns

_CLOCK_SLACK_NS = 20_000_000
_GRAIN = 1 << 15  # elements that torch gives to one thread at least
_WORKERS = 64  # threads, at most, that are asked
_MODULES = (
    "builtins",
    "time",
    "os",
    "json",
    "gc",
    "pickle",
    "struct",
    "mmap",
    "ctypes",
    "random",
    "traceback",
    "threading",
    "socket",
    "math",
    "numpy",
    "numpy.random",
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.testing",
    "torch.linalg",
    "torch.random",
    "torch.cuda",
    "torch.backends.cuda",
    "torch.backends.cudnn",
    "torch.utils.benchmark",
    "torch.autograd.profiler",
    "triton",
    "triton.testing",
    "torch.utils._python_dispatch",
    "assay.sandbox.protocol.wire",
    "assay.sandbox.protocol.replies",
    "assay.sandbox.protocol.requests",
    "assay.devices.cuda_driver",
    "assay.devices.recorder.cupti",
    "assay.devices.recorder.cupti_subscriber",
    "assay.devices.recorder.launches",
    "assay.devices.recorder.loaded_modules",
    "assay.devices.cuda_accelerator",
    "assay.sandbox.child.batch",
    "assay.sandbox.child.gated_calls",
    "assay.sandbox.child.kernel_log",
    "assay.sandbox.child.loading",
    "assay.sandbox.child.mapped_arena",
    "assay.sandbox.child.child_memory",
    "assay.sandbox.child.operation_log",
    "assay.sandbox.child.runner",
    "assay.sandbox.child.state_snapshot",
    "assay.sandbox.child.timed_calls",
    "assay.sandbox.child.untouched.held_state",
    "assay.sandbox.child.untouched.native_settings",
    "assay.sandbox.child.untouched.parameter_prints",
    "assay.sandbox.child.untouched.random_state",
    "assay.sandbox.layers.syscalls",
)
_LIMITS = {
    name.removeprefix("RLIMIT_").lower(): getattr(resource, name)
    for name in dir(resource)
    if name.startswith("RLIMIT_") and name != "RLIMIT_OFILE"  # the older name of NOFILE
}
_TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep
_CLASSES: tuple[tuple[str, Callable[[], type]], ...] = (
    ("torch.Tensor", lambda: torch.Tensor),
    ("torch.nn.Module", lambda: torch.nn.Module),
    ("torch.nn.Parameter", lambda: torch.nn.Parameter),
    ("torch.Generator", lambda: torch.Generator),
    ("torch.cuda.Event", lambda: torch.cuda.Event),
    ("torch.cuda.Stream", lambda: torch.cuda.Stream),
)


@dataclass(frozen=True)
class Snapshot:
    """Named objects by identity, named settings by value. Keeps the objects, so ids stay theirs."""

    objects: dict[str, Any]
    settings: dict[str, str]

    @classmethod
    def take(cls) -> Snapshot:
        """Look at everything once; about a millisecond."""
        return cls(_objects(), _settings())

    def changes(self, now: Snapshot) -> list[str]:
        """Lines `name<TAB>detail` for whatever is not as it was. New names are no change."""
        found = []
        for name, value in self.objects.items():
            current = now.objects.get(name, _GONE)
            if current is not value and not _is_torchs_own(current):
                found.append(f"{name}\t{_describe(current)}")
        for name, text in now.settings.items():
            before = self.settings.get(name, "")
            if before != text and not follows_torch(name, now.settings):
                found.append(f"{name}\t{before[:80]} -> {text[:80]}")
        return found


_GONE = object()


def _is_torchs_own(value: Any) -> bool:
    """Torch replaces some of its own functions when parts of it are imported late."""
    code = value if isinstance(value, CodeType) else getattr(value, "__code__", None)
    return isinstance(code, CodeType) and code.co_filename.startswith(_TORCH_FOLDER)


def _describe(value: Any) -> str:
    if value is _GONE:
        return "removed"
    kind = type(value).__name__
    return f"replaced by {kind} {getattr(value, '__qualname__', '')}".strip()


def _objects() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _MODULES:
        module = sys.modules.get(name)
        if module is not None:
            found.update(_callables(_label(name), module))
            found.update(_methods(module) if name.startswith("assay.") else {})
    for name, get in _CLASSES:
        found.update({f"{name}.{k}": v for k, v in _members(get()).items() if callable(v)})
    codes = {f"{name}.__code__": getattr(value, "__code__", None) for name, value in found.items()}
    found.update({name: code for name, code in codes.items() if isinstance(code, CodeType)})
    return found


def _label(name: str) -> str:
    """What belongs to Assay is the runner's."""
    return name.replace("assay.sandbox.", "runner.").replace("assay.devices.", "runner.")


def _methods(module: ModuleType) -> dict[str, Any]:
    """Of the classes that a module of ours defines."""
    return {
        f"{_label(module.__name__)}.{cls.__name__}.{name}": value
        for cls in vars(module).values()
        if isinstance(cls, type) and cls.__module__ == module.__name__
        for name, value in vars(cls).items()
        if callable(value)
    }


def _members(cls: type) -> dict[str, Any]:
    """Attributes as a class sees them, inherited ones too: shadowing one of those is a change."""
    merged: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        merged.update(vars(base))
    return merged


def _callables(label: str, module: ModuleType) -> dict[str, Any]:
    return {f"{label}.{k}": v for k, v in vars(module).items() if callable(v)}


def _settings() -> dict[str, str]:
    found = {
        "sys.settrace": str(sys.gettrace()),
        "sys.setprofile": str(sys.getprofile()),
        "sys.excepthook": str(sys.excepthook is sys.__excepthook__),
        "sys.meta_path": str(len(sys.meta_path)),
        "gc.callbacks": str(len(gc.callbacks)),
        "gc.enabled": str(gc.isenabled()),
        "gc.threshold": str(gc.get_threshold()),
        "sys.switchinterval": str(sys.getswitchinterval()),
        "sys.recursionlimit": str(sys.getrecursionlimit()),
        "numpy.errors": str(np.geterr()),
        "atexit": str(atexit._ncallbacks()),
        "threading.excepthook": str(threading.excepthook is threading.__excepthook__),
        "builtins.__import__": str(id(builtins.__import__)),
        "torch.num_threads": _thread_setting(),
        "torch.default_dtype": str(torch.get_default_dtype()),
        "torch.default_device": str(torch.get_default_device()),
        "torch.detect_anomaly": str(torch.is_anomaly_enabled()),
        "torch.autocast": str(torch.is_autocast_enabled("cpu")),
        "torch.grad_enabled": str(torch.is_grad_enabled()),
        "torch.deterministic": str(torch.are_deterministic_algorithms_enabled()),
        "torch.float32_matmul_precision": _readable(torch.get_float32_matmul_precision),
        "torch.flush_denormal": str(float(torch.tensor(1e-40)) == 0.0),
        "fp.rounding": str(_rounds_to_nearest()),
        "fp.rounding.workers": str(_workers_round_to_nearest()),
        "fp.traps": _open_traps(),
        "fp.extended": str(_keeps_extended_precision()),
        "torch.function_mode": str(torch._C._len_torch_function_stack()),
        "torch.dispatch_mode": str(torch._C._len_torch_dispatch_stack()),
        "torch.module_hooks": str(_global_module_hooks()),
        "torch.backends.mkldnn.enabled": str(torch.backends.mkldnn.enabled),
        "torch.backends.mkldnn.flags": str(torch._C._get_mkldnn_enabled()),
        "torch.backends.nnpack.enabled": str(torch._C._get_nnpack_enabled()),
        "torch.backends.cudnn.enabled": str(torch.backends.cudnn.enabled),
        "torch.backends.cudnn.benchmark": str(torch.backends.cudnn.benchmark),
        **_tf32(),
        **{f"rlimit.{name}": str(resource.getrlimit(number)) for name, number in _LIMITS.items()},
        "torch.num_interop_threads": str(torch.get_num_interop_threads()),
        "torch.saved_tensor_hooks": str(torch._C._autograd._top_saved_tensors_default_hooks(True)),
        "sys.path_hooks": str(len(sys.path_hooks)),
        "sys.stdout": str(id(sys.stdout)),
        "sys.stderr": str(id(sys.stderr)),
        "signal.mask": str(sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
        "signal.itimer": str(signal.getitimer(signal.ITIMER_REAL)),
        "affinity": str(sorted(os.sched_getaffinity(0))),
        "cwd": _folder(),
        "umask": _file_mask(),
        "nice": str(os.getpriority(os.PRIO_PROCESS, 0)),
    }
    found.update(native_settings())
    found.update(_clocks())
    for number in signal.valid_signals():
        found[f"signal.{number}"] = _handler(number)
    found.update({f"env.{k}": v for k, v in os.environ.items()})
    found.update(_native_environment())
    return found


def _native_environment() -> dict[str, str]:
    """Variables whose value in the C library is not what Python believes; children have that one.

    Native code that sets one leaves Python's copy as it was.
    """
    try:
        table = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    except (OSError, ValueError):
        return {}
    lines = itertools.takewhile(bool, map(table.__getitem__, itertools.count())) if table else ()
    native, known = dict(line.partition(b"=")[::2] for line in lines if line), os.environb
    differ = {name for name in {*native, *known} if native.get(name) != known.get(name)}
    return {
        f"env.{os.fsdecode(name)}": f"{os.fsdecode(native.get(name, b''))} in the C library"
        for name in differ
    }


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "removed"


def _file_mask() -> str:
    """Asked by setting it: no system call reads it alone."""
    mask = os.umask(0o077)
    os.umask(mask)
    return oct(mask)


_times_set: list[int] = []


def watch_thread_setting() -> None:
    """Note every later call of `torch.set_num_threads`, even one that changes nothing.

    Where torch has one thread anyway, setting one leaves no other trace.
    """
    set_threads = torch.set_num_threads

    def set_num_threads(nthreads: int) -> None:
        set_threads(nthreads)
        _times_set.append(nthreads)

    torch.set_num_threads = set_num_threads


def _thread_setting() -> str:
    return f"{torch.get_num_threads()}{f', set to {_times_set[-1]}' if _times_set else ''}"


def _tf32() -> dict[str, str]:
    """Whether float32 products may be rounded to TF32, by each of the switches that torch knows."""
    products, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    readers: dict[str, Callable[[], object]] = {
        "cuda.matmul.allow_tf32": lambda: products.allow_tf32,
        "cuda.matmul.fp32_precision": lambda: products.fp32_precision,
        "cudnn.allow_tf32": lambda: cudnn.allow_tf32,
        "cudnn.fp32_precision": lambda: cudnn.fp32_precision,
        "cudnn.conv.fp32_precision": lambda: cudnn.conv.fp32_precision,  # type: ignore[attr-defined]
        "cudnn.rnn.fp32_precision": lambda: cudnn.rnn.fp32_precision,  # type: ignore[attr-defined]
    }
    return {f"torch.backends.{name}": _readable(read) for name, read in readers.items()}


def _readable(read: Callable[[], object]) -> str:
    """The older switches refuse to be read once the newer ones were used."""
    try:
        return str(read())
    except (AttributeError, RuntimeError):
        return "unreadable"


def _clocks() -> dict[str, str]:
    """Whether Python's clocks agree with the kernel's, which is asked past every library.

    The nearest of several looks counts: between two readings a process may have to wait.
    """
    readers: tuple[tuple[str, Callable[[], int], int], ...] = (
        ("perf_counter", time.perf_counter_ns, time.CLOCK_MONOTONIC),
        ("monotonic", time.monotonic_ns, time.CLOCK_MONOTONIC),
        ("time", time.time_ns, time.CLOCK_REALTIME),
    )
    return {
        f"time.{name}.agrees": str(
            min(abs(read() - kernel_clock_ns(clock)) for _ in range(5)) < _CLOCK_SLACK_NS
        )
        for name, read, clock in readers
    }


def _rounds_to_nearest() -> bool:
    """Asked of the processor: what lies past the middle goes up, on either side of zero."""
    step = float("1.5") * 2.0**-53
    one = float("1.0")
    return one + step > one and -one - step < -one


def _workers_round_to_nearest() -> bool:
    """The same of all threads that work for torch: kernels in OpenMP share them with it.

    Many are not asked: torch starts all of them for it.
    """
    if torch.get_num_threads() > _WORKERS:
        return True
    ones, step = torch.ones(_GRAIN * torch.get_num_threads()), 1.5 * 2.0**-24
    return bool((ones + step > ones).all()) and bool((-ones - step < -ones).all())


def _open_traps() -> str:
    """Which floating-point exceptions end the process; none, unless somebody asked for it."""
    try:
        return str(ctypes.CDLL("libm.so.6").fegetexcept())
    except (OSError, AttributeError):
        return "unreadable"


def _keeps_extended_precision() -> bool:
    """Whether long doubles have the digits that they are made for: a coprocessor can round them."""
    one, digits = np.longdouble(1), np.finfo(np.longdouble).nmant
    return bool(one + np.longdouble(2) ** -digits > one)


def _handler(number: int) -> str:
    try:
        return str(signal.getsignal(number))
    except ValueError:
        return ""


def _global_module_hooks() -> int:
    module = torch.nn.modules.module
    names = ("_global_forward_hooks", "_global_forward_pre_hooks", "_global_backward_hooks")
    return sum(len(getattr(module, name, ())) for name in names)
