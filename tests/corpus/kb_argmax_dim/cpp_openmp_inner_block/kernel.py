import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_CPP = r"""
#include <cstdint>
#include <vector>
// first index of the maximum; the first NaN beats everything
static inline bool beats(float v, float m) { return v > m || (v != v && m == m); }
extern "C" void argmax(const float* x, int64_t* y, long outer, long n, long inner) {
  #pragma omp parallel for schedule(static)
  for (long o = 0; o < outer; ++o) {
    const float* a = x + o * n * inner; int64_t* out = y + o * inner;
    std::vector<float> best(a, a + inner);
    for (long i = 0; i < inner; ++i) out[i] = 0;
    for (long k = 1; k < n; ++k) {
      const float* row = a + k * inner;
      for (long i = 0; i < inner; ++i) if (beats(row[i], best[i])) { best[i] = row[i]; out[i] = k; }
    }
  }
}
"""


def _compile(flags):
    tag = hashlib.sha256((_CPP + repr(flags)).encode()).hexdigest()[:16]
    so = os.path.join(tempfile.gettempdir(), f"argmax_{tag}.so")
    if not os.path.exists(so):
        tmp = f"{so}-{os.getpid()}"
        subprocess.run(["g++", *flags, "-shared", "-fPIC", "-x", "c++", "-", "-o", tmp], input=_CPP.encode(), check=True, stderr=subprocess.DEVNULL)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = None
for _flags in (("-O3", "-march=native", "-fopenmp"), ("-O3", "-fopenmp"), ("-O2",)):
    try:
        _lib = _compile(_flags)
        break
    except (subprocess.CalledProcessError, OSError):
        continue
if _lib is None:
    raise RuntimeError("no working compiler flags")


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        d = self.dim + x.dim() if self.dim < 0 else self.dim
        n = x.shape[d]
        if n == 0:
            raise IndexError(f"argmax(): Expected reduction dim {d} to have non-zero size.")
        x = x.contiguous()
        outer, inner = 1, 1
        for s in x.shape[:d]:
            outer *= s
        for s in x.shape[d + 1 :]:
            inner *= s
        y = torch.empty(x.shape[:d] + x.shape[d + 1 :], dtype=torch.int64)
        if y.numel():
            _lib.argmax(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(outer), ctypes.c_long(n), ctypes.c_long(inner))
        return y
