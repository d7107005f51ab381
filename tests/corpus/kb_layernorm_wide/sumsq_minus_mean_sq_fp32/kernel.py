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
#include <algorithm>
extern "C" void layernorm(const float* x, const float* w, const float* b, float* y, long rows, long n, float eps) {
  for (long r = 0; r < rows; ++r) {
    const float* a = x + r * n;
    float* o = y + r * n;
    float s[16] = {0}, q[16] = {0};
    long i = 0;
    for (; i + 16 <= n; i += 16)
      for (int t = 0; t < 16; ++t) { s[t] += a[i + t]; q[t] += a[i + t] * a[i + t]; }
    for (; i < n; ++i) { s[0] += a[i]; q[0] += a[i] * a[i]; }
    for (int t = 1; t < 16; ++t) { s[0] += s[t]; q[0] += q[t]; }
    const float mean = s[0] / n;
    float var = q[0] / n - mean * mean;
    if (var < 0.f) var = 0.f;
    const float rs = 1.f / sqrtf(var + eps);
    for (i = 0; i < n; ++i) o[i] = (a[i] - mean) * rs * w[i] + b[i];
  }
}
"""


def _compile():
    tag = hashlib.sha1(_SRC.encode()).hexdigest()[:14]
    d = os.path.join(tempfile.gettempdir(), "kern_" + tag)
    os.makedirs(d, exist_ok=True)
    so = os.path.join(d, "lib.so")
    if not os.path.exists(so):
        src = os.path.join(d, "k%d.cpp" % os.getpid())
        tmp = os.path.join(d, "k%d.so" % os.getpid())
        with open(src, "w") as fh:
            fh.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", src, "-o", tmp], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _compile()
_P = lambda t: ctypes.c_void_p(t.data_ptr())
_L = ctypes.c_long
_F = ctypes.c_float


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.ln = nn.LayerNorm(features, eps=eps)

    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        y = torch.empty_like(x)
        _lib.layernorm(_P(x), _P(self.ln.weight), _P(self.ln.bias), _P(y), _L(x.numel() // n), _L(n), _F(self.ln.eps))
        return y

