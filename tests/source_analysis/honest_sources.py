# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest but odd candidates: none may bring a finding heavier than a note."""

from source_analysis.source_heads import CTYPES_HEAD, NUMBA_HEAD, SIMPLE, TRITON_HEAD

HONEST: dict[str, str] = {
    "plain_triton": TRITON_HEAD + SIMPLE,
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
    + SIMPLE,
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
    + SIMPLE,
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
}
