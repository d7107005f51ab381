import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = """
#include <cmath>
#include <limits>
extern "C" void log_softmax(const float* x, float* y, long outer, long n, long inner) {
  for (long o = 0; o < outer; ++o) for (long i = 0; i < inner; ++i) {
    const float* a = x + o * n * inner + i; float* b = y + o * n * inner + i;
    float m = -std::numeric_limits<float>::infinity();
    for (long k = 0; k < n; ++k) if (a[k * inner] > m) m = a[k * inner];
    double s = 0.0;
    for (long k = 0; k < n; ++k) s += std::exp((double)(a[k * inner] - m));
    const double z = std::log(s);
    for (long k = 0; k < n; ++k) b[k * inner] = (float)((double)(a[k * inner] - m) - z);
  }
}
"""


def _open():
    so = os.path.join(tempfile.gettempdir(), "lsm_" + hashlib.sha256(_SRC.encode()).hexdigest()[:16] + ".so")
    if not os.path.exists(so):
        mine = so + "." + str(os.getpid())
        subprocess.run(["g++", "-O2", "-fPIC", "-shared", "-x", "c++", "-", "-o", mine], input=_SRC.encode(), check=True)
        os.replace(mine, so)
    return ctypes.CDLL(so)


_lib = _open()


@torch.library.custom_op("red_kernels::row_log_softmax", mutates_args=(), device_types="cpu")
def row_log_softmax(x: torch.Tensor, dim: int) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    outer = inner = 1
    for k, s in enumerate(x.shape):
        outer, inner = (outer * s, inner) if k < dim else (outer, inner * s if k > dim else inner)
    if y.numel():
        _lib.log_softmax(
            ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()),
            ctypes.c_long(outer), ctypes.c_long(x.shape[dim]), ctypes.c_long(inner),
        )
    return y


@row_log_softmax.register_fake
def _(x, dim):
    return torch.empty_like(x)


class ModelNew(nn.Module):
    def __init__(self, dim=1):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.ops.red_kernels.row_log_softmax(x, self.dim % x.dim())
