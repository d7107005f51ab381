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
extern "C" void attn(const float* q, const float* k, const float* v, const float* mask, float* o, long B, long H, long S, long T, long D, long E) {
  const float scale = 1.0f / sqrtf((float)D);
  std::vector<float> p(T), acc(E);
  for (long bh = 0; bh < B * H; ++bh) {
    const float *Q = q + bh * S * D, *K = k + bh * T * D, *V = v + bh * T * E, *M = mask + (bh / H) * S * T;
    for (long i = 0; i < S; ++i) {
      float m = -INFINITY;
      bool bad = false;
      for (long j = 0; j < T; ++j) {
        float s[8] = {0};
        long d = 0;
        for (; d + 8 <= D; d += 8) for (int t = 0; t < 8; ++t) s[t] += Q[i * D + d + t] * K[j * D + d + t];
        float dot = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
        for (; d < D; ++d) dot += Q[i * D + d] * K[j * D + d];
        const float w = M[i * T + j] == 0.f ? -1e9f : dot * scale;
        bad |= w != w;
        m = w > m ? w : m;
        p[j] = w;
      }
      if (bad) m = NAN;
      float z = 0.f;
      for (long j = 0; j < T; ++j) { p[j] = expf(p[j] - m); z += p[j]; }
      std::fill(acc.begin(), acc.end(), 0.f);
      for (long j = 0; j < T; ++j) { const float w = p[j] / z; for (long e = 0; e < E; ++e) acc[e] += w * V[j * E + e]; }
      memcpy(o + (bh * S + i) * E, acc.data(), E * sizeof(float));
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
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v, mask):
        B, H, S, D = q.shape
        T, E = k.shape[2], v.shape[3]
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        mask = mask.expand(B, 1, S, T).contiguous()
        o = torch.empty((B, H, S, E), dtype=q.dtype)
        _lib.attn(_P(q), _P(k), _P(v), _P(mask), _P(o), _L(B), _L(H), _L(S), _L(T), _L(D), _L(E))
        return o

