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
static inline float up(uint16_t h) { uint32_t u = (uint32_t)h << 16; float f; memcpy(&f, &u, 4); return f; }
static inline uint16_t down(float f) {
  uint32_t u; memcpy(&u, &f, 4);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  return (uint16_t)(u >> 16);
}
extern "C" void linear_bf16(const uint16_t* x, const uint16_t* w, const uint16_t* b, uint16_t* y, long M, long K, long N) {
  std::vector<float> wf(N * K), xf(K);
  for (long i = 0; i < N * K; ++i) wf[i] = up(w[i]);
  for (long i = 0; i < M; ++i) {
    for (long k = 0; k < K; ++k) xf[k] = up(x[i * K + k]);
    for (long j = 0; j < N; ++j) {
      const float* c = wf.data() + j * K;
      float s[8] = {0};
      long k = 0;
      for (; k + 8 <= K; k += 8) for (int t = 0; t < 8; ++t) s[t] += xf[k + t] * c[k + t];
      float acc = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
      for (; k < K; ++k) acc += xf[k] * c[k];
      y[i * N + j] = down(acc + up(b[j]));
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
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features).to(torch.bfloat16)

    def forward(self, x):
        x = x.contiguous()
        N, K = self.fc.weight.shape
        y = torch.empty((*x.shape[:-1], N), dtype=torch.bfloat16)
        _lib.linear_bf16(_P(x), _P(self.fc.weight), _P(self.fc.bias), _P(y), _L(x.numel() // K), _L(K), _L(N))
        return y

