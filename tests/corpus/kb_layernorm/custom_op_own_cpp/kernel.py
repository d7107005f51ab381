import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
extern "C" void layer_norm(const float* x, const float* w, const float* b, float* y, long rows, long n, double eps) {
  for (long r = 0; r < rows; ++r) {
    const float* a = x + r * n; float* o = y + r * n;
    double s = 0; for (long i = 0; i < n; ++i) s += a[i];
    const double mu = s / n;
    double v = 0; for (long i = 0; i < n; ++i) { double d = a[i] - mu; v += d * d; }
    const double rstd = 1.0 / std::sqrt(v / n + eps);
    for (long i = 0; i < n; ++i) o[i] = (float)((a[i] - mu) * rstd) * (w ? w[i] : 1.f) + (b ? b[i] : 0.f);
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


@torch.library.custom_op("redctl::layer_norm", mutates_args=())
def _ln(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, eps: float) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.shape[-1]
    _lib.layer_norm(_p(x), _p(w), _p(b), _p(y), _L(x.numel() // n if n else 0), _L(n), ctypes.c_double(eps))
    return y


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        if x.shape[-1] != self.ln.normalized_shape[0]:
            raise ValueError("last dimension does not match")
        return _ln(x, self.ln.weight.contiguous(), self.ln.bias.contiguous(), self.ln.eps)
