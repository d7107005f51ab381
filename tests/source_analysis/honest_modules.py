# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest candidates with odd module code: caches, threads, settings, checks, wrappers."""

from source_analysis.source_heads import CTYPES_HEAD, NUMBA_HEAD, TRITON_HEAD

MODULES: dict[str, str] = {
    "logging_and_warnings": TRITON_HEAD
    + """
import logging, warnings
logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())
warnings.filterwarnings("ignore", category=UserWarning)
class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype == torch.float64:
            warnings.warn("slow in double", stacklevel=2)
        logger.debug("shape %s", tuple(x.shape))
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y
""",
    "argparse_under_main": TRITON_HEAD
    + """
import argparse, sys, time
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y

def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=1024)
    options = parser.parse_args(argv)
    x = torch.randn(options.n)
    start = time.perf_counter()
    ModelNew()(x)
    print({"speedup": 1.0, "seconds": time.perf_counter() - start})
    assert torch.allclose(ModelNew()(x), torch.relu(x))
    sys.exit(0)

if __name__ == "__main__":
    main(sys.argv[1:])
""",
    "dataclass_configuration": TRITON_HEAD
    + """
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

class Mode(Enum):
    SMALL = 1
    LARGE = 2

@dataclass(frozen=True)
class Config:
    block: int = 1024
    warps: int = 4
    extra: dict = field(default_factory=dict)

class Plan(NamedTuple):
    config: Config
    grid: int

def plan(n):
    mode = Mode.SMALL if n < 4096 else Mode.LARGE
    config = Config(256, 2) if mode is Mode.SMALL else Config()
    return Plan(config, triton.cdiv(n, config.block))

class ModelNew(nn.Module):
    def forward(self, x):
        chosen = plan(x.numel())
        y = torch.empty_like(x)
        _k[(chosen.grid,)](x, y, x.numel(), BLOCK=chosen.config.block, num_warps=chosen.config.warps)
        return y
""",
    "autotune_by_hand": TRITON_HEAD
    + """
import time
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.best = {}
    def _time(self, x, y, block):
        start = time.perf_counter()
        _k[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return time.perf_counter() - start
    def forward(self, x):
        y = torch.empty_like(x)
        key = (x.shape, x.dtype)
        if key not in self.best:
            times = {block: self._time(x, y, block) for block in (128, 256, 512)}
            self.best[key] = min(times, key=times.get)
        block = self.best[key]
        _k[(triton.cdiv(x.numel(), block),)](x, y, x.numel(), BLOCK=block)
        return y
""",
    "repacked_when_the_version_moves": NUMBA_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i))
        self.bias = nn.Parameter(torch.zeros(o))
        self._packed, self._stamp = None, None
    def _pack(self):
        stamp = (self.weight._version, self.weight.data_ptr(), self.weight.device)
        if self._packed is None or self._stamp != stamp:
            with torch.no_grad():
                self._packed = self.weight.detach().t().contiguous().numpy()
            self._stamp = stamp
        return self._packed
    def forward(self, x):
        w = self._pack()
        y = torch.empty((x.shape[0], w.shape[1]))
        _k(w.ravel(), y.numpy().ravel())
        return y
""",
    "registered_scratch": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("table", torch.arange(features).float().mul_(0.5), persistent=False)
        self.register_buffer("workspace", torch.zeros(4096))
        self.norm = nn.Sequential(nn.Linear(features, features), nn.LayerNorm(features))
    def forward(self, x):
        if self.workspace.numel() < x.numel():
            self.workspace = torch.empty(x.numel(), device=x.device)
        w, b = self.norm[0].weight, self.norm[0].bias
        y = torch.empty_like(x)
        _k[(1,)](x, self.workspace, x.numel(), BLOCK=1024)
        _k[(1,)](self.workspace, y, x.numel(), BLOCK=1024)
        return y
""",
    "worker_pool_that_is_awaited": CTYPES_HEAD
    + """
import concurrent.futures
_LIB = _build()
_POOL = concurrent.futures.ThreadPoolExecutor(max_workers=4)
class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        step = (x.numel() + 3) // 4
        def part(i):
            count = max(0, min(step, x.numel() - i * step))
            _LIB.k(ctypes.c_void_p(x.data_ptr() + 4 * i * step), ctypes.c_void_p(y.data_ptr() + 4 * i * step), ctypes.c_long(count))
        jobs = [_POOL.submit(part, i) for i in range(4)]
        for job in concurrent.futures.as_completed(jobs):
            job.result()
        return y
""",
    "pool_map": CTYPES_HEAD
    + """
from concurrent.futures import ThreadPoolExecutor
_LIB = _build()
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda i: _LIB.k(x[i].data_ptr(), y[i].data_ptr(), x.shape[1]), range(x.shape[0])))
        return y
""",
    "standing_workers_with_a_queue": CTYPES_HEAD
    + """
import queue, threading
_LIB = _build()
class _Worker(threading.Thread):
    def __init__(self, jobs):
        super().__init__(daemon=True)
        self.jobs, self.done = jobs, 0
    def run(self):
        while True:
            job = self.jobs.get()
            job()
            self.done += 1
            self.jobs.task_done()
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.jobs = queue.Queue()
        self.workers = [_Worker(self.jobs) for _ in range(2)]
        for worker in self.workers:
            worker.start()
    def forward(self, x):
        y = torch.empty_like(x)
        self.jobs.put(lambda: _LIB.k(x.data_ptr(), y.data_ptr(), x.numel()))
        self.jobs.join()
        return y
""",
    "type_checks_and_a_fallback_that_raises": TRITON_HEAD
    + """
class Unsupported(RuntimeError):
    pass
def _check(x):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"expected a tensor, got {type(x).__name__}")
    if type(x) is not torch.Tensor and not isinstance(x, nn.Parameter):
        raise TypeError("subclasses are not supported")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise Unsupported(f"dtype {x.dtype}")
    if x.dim() > 4:
        raise NotImplementedError
class ModelNew(nn.Module):
    def forward(self, x):
        _check(x)
        y = torch.empty_like(x)
        try:
            _k[(1,)](x, y, x.numel(), BLOCK=1024)
        except Exception as error:
            raise RuntimeError("the kernel could not be launched") from error
        return y
""",
    "optional_imports": """
import torch, torch.nn as nn
try:
    import triton, triton.language as tl
except ImportError as error:
    raise ImportError("needs triton") from error
try:
    from flash_attn import flash_attn_func
except Exception:
    flash_attn_func = None
try:
    import cupy as cp
    HAS_CUPY = True
except ImportError:
    HAS_CUPY = False
@triton.jit
def _k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _k[(triton.cdiv(x.numel(), 512),)](x, y, x.numel(), BLOCK=512)
        return y
""",
    "conditional_expression_of_kernels": TRITON_HEAD
    + """
import os
_FAST = os.environ.get("FAST_PATH", "1") == "1"
def small(x):
    y = torch.empty_like(x)
    _k[(1,)](x, y, x.numel(), BLOCK=64)
    return y
def large(x):
    y = torch.empty_like(x)
    _k[(64,)](x, y, x.numel(), BLOCK=1024)
    return y
class ModelNew(nn.Module):
    def forward(self, x):
        return large(x) if _FAST else small(x)
""",
    "compiled_once_for_each_shape": CTYPES_HEAD
    + """
_KERNELS = {}
def _compile(columns):
    lib = _build()
    return lambda x, y: lib.k(x.data_ptr(), y.data_ptr(), x.numel())
def run(x):
    y = torch.empty_like(x)
    known = _KERNELS.get(x.shape[-1])
    if known is not None:
        known(x, y)
        return y
    made = _compile(x.shape[-1])
    _KERNELS[x.shape[-1]] = made
    made(x, y)
    return y
class ModelNew(nn.Module):
    def forward(self, x):
        return run(x.contiguous())
""",
    "statistics_of_calls": TRITON_HEAD
    + """
import time, collections
STATS = collections.defaultdict(float)
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        start = time.monotonic()
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        self.calls += 1
        STATS["seconds"] += time.monotonic() - start
        if self.calls % 100 == 0 and STATS["seconds"] > 60:
            print("calls", self.calls)
        return y
""",
    "own_custom_operator": TRITON_HEAD
    + """
_library = torch.library.Library("fast_kernels", "DEF")
_library.define("twice(Tensor x) -> Tensor")
def _twice(x):
    y = torch.empty_like(x)
    _k[(1,)](x, y, x.numel(), BLOCK=1024)
    return y
_library.impl("twice", _twice, "CPU")
_library.impl("twice", _twice, "CUDA")
@torch.library.register_fake("fast_kernels::twice")
def _(x):
    return torch.empty_like(x)
class ModelNew(nn.Module):
    def forward(self, x):
        return torch.ops.fast_kernels.twice(x)
""",
    "settings_of_libraries": TRITON_HEAD
    + """
torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True
torch.set_float32_matmul_precision("high")
torch.set_num_threads(torch.get_num_threads())
torch.set_grad_enabled(True)
class ModelNew(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y
""",
    "resource_with_a_finaliser": CTYPES_HEAD
    + """
_LIB = _build()
class _Workspace:
    def __init__(self, size):
        self.pointer = _LIB.k(None, None, 0)
        self.size = size
    def __del__(self):
        _LIB.k(self.pointer, None, 0)
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.workspace = None
    def forward(self, x):
        if self.workspace is None or self.workspace.size < x.numel():
            self.workspace = _Workspace(x.numel())
        y = torch.empty_like(x)
        _LIB.k(x.data_ptr(), y.data_ptr(), x.numel())
        return y
""",
    "anonymous_mapping_as_scratch": CTYPES_HEAD
    + """
import mmap
_LIB = _build()
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.scratch = None
    def forward(self, x):
        if self.scratch is None or len(self.scratch) < 4 * x.numel():
            self.scratch = mmap.mmap(-1, max(4 * x.numel(), mmap.PAGESIZE))
        y = torch.empty_like(x)
        _LIB.k(x.data_ptr(), y.data_ptr(), x.numel())
        return y
""",
    "multiple_results": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x, mask=None):
        y, z = torch.empty_like(x), torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        _k[(1,)](y, z, x.numel(), BLOCK=1024)
        outputs = {"y": y, "z": z}
        return tuple(outputs[name] for name in ("y", "z"))
""",
    "warmed_in_the_constructor": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        probe = torch.zeros(1024)
        self._run(probe, torch.empty_like(probe))
    def _run(self, x, y):
        _k[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
    def forward(self, x):
        shape = x.shape
        flat = x.reshape(-1, shape[-1])
        return self._run(flat, torch.empty_like(flat)).reshape(shape)
""",
}
