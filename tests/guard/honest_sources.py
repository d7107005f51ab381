# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest but odd candidates: none may bring a finding heavier than a note."""

TRITON_HEAD = """
import torch, math
import torch.nn as nn
import triton
import triton.language as tl

@triton.jit
def _k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * 2.0, mask=offs < n)
"""
NUMBA_HEAD = """
import math
import torch
import torch.nn as nn
import numpy as np
from numba import njit, prange

@njit(parallel=True)
def _k(x, y):
    for i in prange(x.size):
        y[i] = x[i] * 2.0
"""
CTYPES_HEAD = '''
import ctypes, os, subprocess, tempfile
import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
extern "C" void k(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] * 2; }
"""
def _build():
    d = tempfile.mkdtemp()
    src = os.path.join(d, "k.cpp")
    with open(src, "w") as f:
        f.write(_SRC)
    so = os.path.join(d, "k.so")
    subprocess.check_call(["g++", "-O3", "-shared", "-fPIC", src, "-o", so])
    return ctypes.CDLL(so)
'''
_SIMPLE = """
class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        _k[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
        return y
"""

HONEST: dict[str, str] = {
    "plain_triton": TRITON_HEAD + _SIMPLE,
    "guarded_import": """
import torch
import torch.nn as nn
try:
    import triton
    import triton.language as tl
    HAS_TRITON = True
except ImportError:
    triton = None
    HAS_TRITON = False

if HAS_TRITON:
    @triton.jit
    def _k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)
"""
    + _SIMPLE,
    "casts_and_fills": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x):
        original = x.dtype
        x = x.float().reshape(-1, x.shape[-1])
        scratch = torch.zeros((x.shape[0],), device=x.device)
        index = torch.arange(x.shape[0], device=x.device)
        y = x.new_empty(x.shape)
        _k[(math.ceil(x.numel() / 256),)](x, y, x.numel(), BLOCK=256)
        return y.to(original).view(x.shape)
""",
    "linear_as_holder": NUMBA_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Linear(i, o)
        with torch.no_grad():
            self.fc.weight.mul_(0.5)
        self.register_buffer("scale", torch.ones(o) * 3)

    def forward(self, x):
        w = self.fc.weight.t().contiguous()
        b = self.fc.bias
        y = torch.empty((x.shape[0], w.shape[1]), dtype=x.dtype)
        _k(x.detach().numpy().ravel(), y.numpy().ravel())
        return y
""",
    "grid_helper": TRITON_HEAD
    + """
def _blocks(n, block):
    rows = n // block + (1 if n % block else 0)
    return max(1, min(rows, 65535)) * 1

class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        rows, cols = x.shape[0], x.shape[1] * 1
        total = rows * cols
        _k[(_blocks(total, 128),)](x, y, total, BLOCK=128)
        return y
""",
    "autograd_function": TRITON_HEAD
    + """
class _Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * 2

class ModelNew(nn.Module):
    def forward(self, x):
        return _Twice.apply(x)
""",
    "pipeline_with_partials": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x):
        partial = torch.empty(64, device=x.device)
        _k[(64,)](x, partial, x.numel(), BLOCK=1024)
        out = torch.empty((), device=x.device)
        _k[(1,)](partial, out, 64, BLOCK=64)
        return out
""",
    "final_sum_of_partials": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x):
        partial = torch.empty(64, device=x.device)
        _k[(64,)](x, partial, x.numel(), BLOCK=1024)
        return partial.sum() / x.numel()
""",
    "out_buffer": TRITON_HEAD
    + """
def run(x, *, out=None):
    if out is None:
        out = torch.empty_like(x)
    _k[(1,)](x, out, x.numel(), BLOCK=1024)
    return out

class ModelNew(nn.Module):
    def forward(self, x):
        out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        run(x, out=out)
        return out
""",
    "empty_input": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        if x.numel() == 0:
            return y
        if x.dim() == 0 or x.dtype not in (torch.float32, torch.float16):
            raise ValueError("unsupported")
        assert x.is_contiguous(), "contiguous only"
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y
""",
    "locks_and_joined_threads": CTYPES_HEAD
    + """
import threading
_lib = None
_lock = threading.Lock()

def lib():
    global _lib
    with _lock:
        if _lib is None:
            _lib = _build()
    return _lib

class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        half = x.numel() // 2
        def work(start, count):
            lib().k(ctypes.c_void_p(x.data_ptr() + start * 4), ctypes.c_void_p(y.data_ptr() + start * 4),
                    ctypes.c_long(count))
        threads = [threading.Thread(target=work, args=(s, c)) for s, c in ((0, half), (half, x.numel() - half))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return y
""",
    "scary_docstring": '''"""Does not use torch.matmul, gc.get_objects, sys._getframe or torch.compile. try: pass."""
'''
    + TRITON_HEAD
    + '''
def _unused(x):
    """Reference, never called."""
    import gc
    gc.get_objects()
    return torch.softmax(x, -1) @ x
'''
    + _SIMPLE,
    "autotuned": """
import torch
import torch.nn as nn
import triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (128, 256) for w in (4, 8)], key=["n"])
@triton.jit
def _k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n), mask=offs < n)

class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        grid = lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)
        _k[grid](x, y, x.numel())
        return y
""",
    "versioned_weight_pack": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(o, i) / math.sqrt(i))
        self._pack = {}

    def packed(self):
        key = (self.weight.data_ptr(), self.weight._version)
        if key not in self._pack:
            self._pack.clear()
            self._pack[key] = self.weight.detach().t().contiguous()
        return self._pack[key]

    def forward(self, x):
        w = self.packed()
        y = torch.empty((x.shape[0], w.shape[1]), device=x.device)
        _k[(1,)](x, y, y.numel(), BLOCK=1024)
        return y
""",
    "compile_at_first_call": CTYPES_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._lib = None

    def forward(self, x):
        if self._lib is None:
            self._lib = _build()
            self._lib.k.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
        y = torch.empty(x.shape)
        self._lib.k(x.data_ptr(), y.data_ptr(), x.numel())
        return y
""",
    "dict_dispatch": NUMBA_HEAD
    + """
_TABLE = {"f32": _k, "f64": _k}

class ModelNew(nn.Module):
    def forward(self, x):
        y = np.empty(x.numel(), dtype=np.float32)
        _TABLE["f32"](x.contiguous().view(-1).numpy(), y)
        return torch.from_numpy(y).reshape(x.shape)
""",
    "vectorize": """
import torch, torch.nn as nn, math
from numba import vectorize, float32

@vectorize([float32(float32)], nopython=True)
def act(v):
    return v / (1.0 + math.exp(-v))

class ModelNew(nn.Module):
    def forward(self, x):
        return torch.from_numpy(act(x.numpy()))
""",
    "tiny_bookkeeping": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x, lengths):
        longest = int(lengths.max().item())
        starts = torch.cumsum(lengths, 0)
        y = torch.empty((x.shape[0], longest), device=x.device)
        _k[(longest,)](starts, y, longest, BLOCK=128)
        return y
""",
    "cpu_fallback_for_a_gpu_kernel": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def forward(self, x):
        if not x.is_cuda:
            return torch.relu(x)
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y
""",
    "load_inline": '''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
src = """
#include <torch/extension.h>
// could be at::matmul(a, b), but is not
static at::Tensor unused(at::Tensor a) { return at::relu(a); }
torch::Tensor twice(torch::Tensor x) {
  TORCH_CHECK(x.is_contiguous(), "call torch::matmul elsewhere");
  auto y = torch::empty_like(x);
  auto p = x.data_ptr<float>(); auto q = y.data_ptr<float>();
  at::parallel_for(0, x.numel(), 1024, [&](int64_t b, int64_t e) { for (auto i = b; i < e; ++i) q[i] = 2 * p[i]; });
  return y;
}
"""
ext = load_inline(name="twice", cpp_sources=[src], functions=["twice"])
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = ext.twice
    def forward(self, x):
        return self.f(x)
''',
    "own_submodule": TRITON_HEAD
    + """
class Twice(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Twice()
        self.rest = nn.Sequential(Twice(), Twice())
    def forward(self, x):
        return self.rest(self.first(x))
""",
    "cached_mask_and_scratch": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._scratch = {}
    def _buffer(self, shape, device):
        if shape not in self._scratch:
            self._scratch[shape] = torch.empty(shape, device=device)
        return self._scratch[shape]
    def forward(self, x):
        tmp = self._buffer(tuple(x.shape), x.device)
        y = torch.empty_like(x)
        _k[(1,)](x, tmp, x.numel(), BLOCK=1024)
        _k[(1,)](tmp, y, x.numel(), BLOCK=1024)
        return y
""",
    "settings": TRITON_HEAD.replace(
        "import triton\n", "import os, triton\nos.environ.setdefault('OMP_NUM_THREADS', '2')\n"
    )
    + "torch.backends.cuda.matmul.allow_tf32 = False\n"
    + _SIMPLE,
    "signature_string": """
import torch, torch.nn as nn
import numba
@numba.njit("void(f4[:], f4[:])", parallel=True, fastmath=True)
def _k(x, y):
    for i in numba.prange(x.size):
        y[i] = x[i] + 1
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _k(x.reshape(-1).numpy(), y.reshape(-1).numpy())
        return y
""",
    "cffi": """
import torch, torch.nn as nn
from cffi import FFI
ffi = FFI()
ffi.cdef("void k(const float*, float*, long);")
lib = ffi.verify("void k(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i]; }")
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        lib.k(ffi.cast("float*", x.data_ptr()), ffi.cast("float*", y.data_ptr()), x.numel())
        return y
""",
    "temporary_file_and_own_folder": CTYPES_HEAD
    + """
import inspect
_HERE = os.path.dirname(os.path.abspath(inspect.getfile(inspect.currentframe())))
def build():
    fd, path = tempfile.mkstemp(suffix=".cpp")
    os.write(fd, _SRC.encode())
    os.close(fd)
    os.system("g++ -O3 -shared -fPIC %s -o %s.so" % (path, path))
    return ctypes.cdll.LoadLibrary(path + ".so")
class ModelNew(nn.Module):
    lib = None
    def forward(self, x):
        if ModelNew.lib is None:
            ModelNew.lib = build()
        y = torch.empty_like(x)
        ModelNew.lib.k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
        return y
""",
    "cuda_with_a_final_mean": '''
import torch, torch.nn as nn
from torch.utils.cpp_extension import load_inline
src = """
#include <torch/extension.h>
template <typename T> __global__ void k(const T* __restrict__ x, T* out, int n) { out[blockIdx.x] = x[0]; }
torch::Tensor go(torch::Tensor x) {
  auto losses = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "go", ([&] { k<scalar_t><<<1, 1>>>(x.data_ptr<scalar_t>(), losses.data_ptr<scalar_t>(), 3); }));
  return losses.mean();
}
"""
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.ext = load_inline(name="n", cpp_sources="torch::Tensor go(torch::Tensor x);", cuda_sources=src, functions=["go"])
    def forward(self, x):
        return self.ext.go(x.cuda())
''',
    "cached_choice_between_kernels": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.choice = {}
    def forward(self, x):
        y = torch.empty_like(x)
        pick = self.choice.get(x.shape[0])
        if pick is None:
            pick = 128 if x.shape[0] < 100 else 256
            self.choice[x.shape[0]] = pick
        if self.choice[x.shape[0]] == 128:
            _k[(1,)](x, y, x.numel(), BLOCK=128)
        else:
            _k[(1,)](x, y, x.numel(), BLOCK=256)
        return y
""",
    "atomics_counter": TRITON_HEAD
    + """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        counter = torch.zeros(1, dtype=torch.int32, device=x.device)
        y = torch.zeros_like(x)
        _k[(1,)](x, y, counter, BLOCK=1024)
        return y
""",
}
