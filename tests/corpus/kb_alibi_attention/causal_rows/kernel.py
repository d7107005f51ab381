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
extern "C" void alibi(const float* q, const float* k, const float* v, const float* slopes, float* o, long B, long H, long S, long D) {
  const float scale = 1.0f / sqrtf((float)D);
  std::vector<float> p(S);
  for (long bh = 0; bh < B * H; ++bh) {
    const float *Q = q + bh * S * D, *K = k + bh * S * D, *V = v + bh * S * D;
    const float slope = slopes[bh % H];
    for (long i = 0; i < S; ++i) {
      const long first = 0;
      float m = -INFINITY;
      bool bad = false;
      for (long j = first; j <= i; ++j) {
        float dot = 0;
        for (long d = 0; d < D; ++d) dot += Q[i * D + d] * K[j * D + d];
        p[j] = dot * scale + slope * (float)(j - i);
        bad |= p[j] != p[j];
        m = p[j] > m ? p[j] : m;
      }
      if (bad) m = NAN;
      float z = 0;
      for (long j = first; j <= i; ++j) { p[j] = expf(p[j] - m); z += p[j]; }
      float* out = o + (bh * S + i) * D;
      for (long d = 0; d < D; ++d) out[d] = 0;
      for (long j = i + 1; j < S; ++j) p[j] = 0.f;
      for (long j = first; j < S; ++j) { const float w = p[j] / z; for (long d = 0; d < D; ++d) out[d] += w * V[j * D + d]; }
    }
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
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slopes", torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]))

    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        B, H, S, D = q.shape
        o = torch.empty_like(q)
        _lib.alibi(_P(q), _P(k), _P(v), _P(self.slopes), _P(o), _L(B), _L(H), _L(S), _L(D))
        return o

