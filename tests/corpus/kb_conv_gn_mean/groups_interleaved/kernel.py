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
extern "C" void conv_gn_mean(const float* x, const float* w, const float* cb, const float* g, const float* be, float* y,
                             long B, long C, long H, long W, long O, long K, long G, float eps) {
  const long OH = H - K + 1, OW = W - K + 1, S = OH * OW, CG = O / G;
  std::vector<float> t(O * S);
  for (long n = 0; n < B; ++n) {
    for (long o = 0; o < O; ++o) {
      float* p = t.data() + o * S;
      for (long i = 0; i < S; ++i) p[i] = cb[o];
      for (long c = 0; c < C; ++c)
        for (long kh = 0; kh < K; ++kh)
          for (long kw = 0; kw < K; ++kw) {
            const float f = w[((o * C + c) * K + kh) * K + kw];
            for (long i = 0; i < OH; ++i) {
              const float* a = x + ((n * C + c) * H + i + kh) * W + kw;
              float* q = p + i * OW;
              for (long j = 0; j < OW; ++j) q[j] += f * a[j];
            }
          }
    }
    double total = 0;
    for (long k = 0; k < G; ++k) {
      double s = 0, v = 0;
      for (long c = k; c < O; c += G) for (long i = 0; i < S; ++i) s += t[c * S + i];
      const double mean = s / (CG * S);
      for (long c = k; c < O; c += G) for (long i = 0; i < S; ++i) v += (t[c * S + i] - mean) * (t[c * S + i] - mean);
      const double rs = 1.0 / std::sqrt(v / (CG * S) + eps);
      for (long c = k; c < O; c += G) {
        double part = 0;
        for (long i = 0; i < S; ++i) part += (t[c * S + i] - mean) * rs;
        total += part * g[c] + (double)be[c] * S;
      }
    }
    y[n] = (float)(total / (O * S));
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
    def __init__(self, in_channels, out_channels, kernel_size, num_groups):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = x.contiguous()
        B, C, H, W = x.shape
        w, gn = self.conv.weight, self.group_norm
        y = torch.empty(B, dtype=x.dtype)
        _lib.conv_gn_mean(_P(x), _P(w), _P(self.conv.bias), _P(gn.weight), _P(gn.bias), _P(y), _L(B), _L(C), _L(H), _L(W),
                          _L(w.shape[0]), _L(w.shape[2]), _L(gn.num_groups), _F(gn.eps))
        return y

