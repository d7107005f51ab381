"""bfloat16 softmax: widen by a shift, compute in float, narrow with round-to-nearest-even.  bfloat16 is the
dtype of the task; inside, everything is float32."""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
static inline float widen(uint16_t h) { uint32_t u = (uint32_t)h << 16; float f; std::memcpy(&f, &u, 4); return f; }
static inline uint16_t narrow(float f) {
  uint32_t u; std::memcpy(&u, &f, 4);
  if (f != f) return (uint16_t)((u >> 16) | 0x40);          // keep NaN a (quiet) NaN
  u += 0x7fff + ((u >> 16) & 1);
  return (uint16_t)(u >> 16);
}
extern "C" void softmax_bf16(const uint16_t* x, uint16_t* y, long rows, long n) {
  std::vector<float> e(n > 0 ? n : 1);
  for (long r = 0; r < rows; ++r) {
    const uint16_t* a = x + r * n; uint16_t* b = y + r * n;
    float m = -INFINITY;
    for (long i = 0; i < n; ++i) { e[i] = widen(a[i]); if (e[i] > m) m = e[i]; }
    double s = 0;
    for (long i = 0; i < n; ++i) { e[i] = std::exp(e[i] - m); s += e[i]; }
    const float inv = (float)(1.0 / s);
    for (long i = 0; i < n; ++i) b[i] = narrow(e[i] * inv);
  }
}
"""


def _open():
    so = os.path.join(tempfile.gettempdir(), f"bf16sm_{hashlib.sha256(_SRC.encode()).hexdigest()[:16]}.so")
    if not os.path.exists(so):
        t = f"{so}.{os.getpid()}"
        subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-x", "c++", "-", "-o", t], input=_SRC.encode(), check=True)
        os.replace(t, so)
    return ctypes.CDLL(so)


_lib = _open()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.dtype is not torch.bfloat16:
            raise TypeError(f"this kernel is for bfloat16, not {x.dtype}")
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.shape[-1]
        if y.numel():
            _lib.softmax_bf16(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel() // n), ctypes.c_long(n))
        return y
