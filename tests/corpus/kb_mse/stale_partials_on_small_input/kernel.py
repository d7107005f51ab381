import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <thread>
#include <vector>
extern "C" {
void mse(const float* a, const float* b, float* y, long n) {
  double p[4] = {0, 0, 0, 0};
  for (long i = 0; i < n; ++i) { float d = a[i] - b[i]; p[i & 3] += (double)d * d; }
  y[0] = (float)(((p[0] + p[1]) + (p[2] + p[3])) / (double)n);
}
static double partial[4];
static void part(const float* a, const float* b, int t, long lo, long hi) {
  double s = 0;
  for (long j = lo; j < hi; ++j) { float d = a[j] - b[j]; s += (double)d * d; }
  partial[t] = s;
}
void mse_mt(const float* a, const float* b, float* y, long n) {
  int T = n < 65536 ? 1 : 4; std::vector<std::thread> th;
  for (int t = 1; t < T; ++t) th.emplace_back(part, a, b, t, n * t / T, n * (t + 1) / T);
  part(a, b, 0, 0, n / T);
  for (auto& t : th) t.join();
  y[0] = (float)((partial[0] + partial[1] + partial[2] + partial[3]) / (double)n);
}
}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "ckern_" + key)
    os.makedirs(folder, exist_ok=True)
    so = os.path.join(folder, "k.so")
    if not os.path.exists(so):
        cpp = os.path.join(folder, "k_%d.cpp" % os.getpid())
        tmp = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(cpp, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", tmp, cpp], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _build()
_L = ctypes.c_long
_F = ctypes.c_float


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


def _f32(t):
    if t.dtype is not torch.float32:
        raise TypeError("float32 only")
    return t.contiguous()


def _out(a, b):
    return torch.empty((), dtype=a.dtype)


def _launch(y, a, b):
    a, b = _f32(a), _f32(b)
    _lib.mse(_p(a), _p(b), _p(y), _L(a.numel()))


def _kernel(*args):
    y = _out(*args)
    _launch(y, *args)
    return y


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        a, b = _f32(a), _f32(b)
        y = _out(a, b)
        _lib.mse_mt(_p(a), _p(b), _p(y), _L(a.numel()))
        return y
