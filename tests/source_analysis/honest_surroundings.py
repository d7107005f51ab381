# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest candidates with files, extensions, settings and buffers around their kernels."""

from source_analysis.source_heads import CTYPES_HEAD, SIMPLE, TRITON_HEAD

SURROUNDINGS: dict[str, str] = {
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
    + SIMPLE,
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
