import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
extern "C" void group_norm(const float* x, const float* w, const float* b, float* y, long N, long C, long S, long G, double eps) {
  const long D = C / G, L = D * S;
  for (long n = 0; n < N; ++n) for (long g = 0; g < G; ++g) {
    const float* a = x + (n * C + g * D) * S; float* o = y + (n * C + g * D) * S;
    double s = 0; for (long i = 0; i < L; ++i) s += a[i];
    const double mu = s / L;
    double v = 0; for (long i = 0; i < L; ++i) { double d = a[i] - mu; v += d * d; }
    const double r = 1.0 / std::sqrt(v / L + eps);
    for (long c = 0; c < D; ++c) for (long i = 0; i < S; ++i) o[c * S + i] = (float)((a[c * S + i] - mu) * r) * w[g * D + c] + b[g * D + c];
  }
}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "ck_" + key)
    os.makedirs(folder, exist_ok=True)
    so = os.path.join(folder, "k.so")
    if not os.path.exists(so):
        cpp = os.path.join(folder, "k_%d.cpp" % os.getpid())
        tmp = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(cpp, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", tmp, cpp, "-ldl"], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _build()
_L = ctypes.c_long
_F = ctypes.c_float


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


class _GroupNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, groups, eps):
        x, w, b = x.contiguous(), w.contiguous(), b.contiguous()
        y = torch.empty_like(x)
        n, c = x.shape[:2]
        s = x.numel() // (n * c) if n * c else 0
        _lib.group_norm(_p(x), _p(w), _p(b), _p(y), _L(n), _L(c), _L(s), _L(groups), ctypes.c_double(eps))
        return y

    @staticmethod
    def backward(ctx, g):
        raise NotImplementedError("inference only")


class ModelNew(nn.Module):
    def __init__(self, groups, channels):
        super().__init__()
        self.gn = nn.GroupNorm(groups, channels)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        if x.shape[1] != self.gn.num_channels:
            raise ValueError("wrong number of channels")
        return _GroupNorm.apply(x, self.gn.weight, self.gn.bias, self.gn.num_groups, self.gn.eps)
