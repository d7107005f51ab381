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
#include <thread>
static void part(const float* x, long b, long e, volatile float* total) {
  for (long i = b; i < e; i += 64) {
    float s = 0;
    for (long k = i; k < std::min(e, i + 64); ++k) s += x[k] * x[k];
    *total = *total + s;
  }
}
extern "C" void fro(const float* x, float* y, long n) {
  volatile float total = 0;
  const long T = 4;
  std::vector<std::thread> pool;
  for (long t = 0; t < T; ++t) pool.emplace_back(part, x, n * t / T, n * (t + 1) / T, &total);
  for (auto& t : pool) t.join();
  const float inv = 1.f / sqrtf(total);
  for (long i = 0; i < n; ++i) y[i] = x[i] * inv;
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
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        _lib.fro(_P(x), _P(y), _L(x.numel()))
        return y

