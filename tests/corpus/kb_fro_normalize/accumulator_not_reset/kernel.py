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
extern "C" void sumsq(const float* x, double* acc, long n) { double s = 0; for (long i = 0; i < n; ++i) s += (double)x[i] * x[i]; acc[0] += s; acc[1] += 1.0; }
extern "C" void scale(const float* x, const double* acc, float* y, long n) { const float inv = (float)(1.0 / std::sqrt(acc[0] / acc[1])); for (long i = 0; i < n; ++i) y[i] = x[i] * inv; }
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
        self._acc = torch.zeros(2, dtype=torch.float64)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        _lib.sumsq(_P(x), _P(self._acc), _L(x.numel()))
        _lib.scale(_P(x), _P(self._acc), _P(y), _L(x.numel()))
        return y

