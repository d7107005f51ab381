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
extern "C" void bn(const float* x, const float* g, const float* b, float* rm, float* rv, float* y, long N, long C, long S, float eps, float mom, int training) {
  const long n = N * S;
  for (long c = 0; c < C; ++c) {
    double mean = rm[c], var = rv[c];
    if (training) {
      double s = 0, q = 0;
      for (long i = 0; i < N; ++i) for (long k = 0; k < S; ++k) s += x[(i * C + c) * S + k];
      mean = s / n;
      for (long i = 0; i < N; ++i) for (long k = 0; k < S; ++k) { const double d = x[(i * C + c) * S + k] - mean; q += d * d; }
      var = q / n;
    }
    const double rs = 1.0 / std::sqrt(var + eps);
    for (long i = 0; i < N; ++i)
      for (long k = 0; k < S; ++k) { const long at = (i * C + c) * S + k; y[at] = (float)((x[at] - mean) * rs) * g[c] + b[c]; }
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
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        x = x.contiguous()
        bn = self.bn
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        if bn.training:
            bn.num_batches_tracked.add_(1)
        _lib.bn(_P(x), _P(bn.weight), _P(bn.bias), _P(bn.running_mean), _P(bn.running_var), _P(y),
                _L(N), _L(C), _L(H * W), _F(bn.eps), _F(bn.momentum), ctypes.c_int(bn.training))
        return y

