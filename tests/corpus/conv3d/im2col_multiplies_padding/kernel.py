"""im2col into memory that is kept between calls, then sums of 64 products at a time."""

import ctypes, os, subprocess, tempfile
import torch
import torch.nn as nn

SRC = r"""
#include <vector>
#include <cstring>
extern "C" void conv3d(const float* X, const float* Wt, float* Y, long N, long C, long O, long S) {
  thread_local std::vector<float> col;  // kept between calls
  const long P3 = S * S * S, R = C * 27;
  if ((long)col.size() < R * P3) col.resize(R * P3);
  for (long n = 0; n < N; ++n) {
    long r = 0;
    for (long c = 0; c < C; ++c) for (int a = -1; a < 2; ++a) for (int b = -1; b < 2; ++b) for (int e = -1; e < 2; ++e, ++r) {
      float* to = &col[r * P3];
      for (long i = 0; i < S; ++i) for (long j = 0; j < S; ++j) for (long k = 0; k < S; ++k) {
        long u = i + a, v = j + b, w = k + e;
        *to++ = u < 0 || v < 0 || w < 0 || u >= S || v >= S || w >= S ? 0.0f : X[(((n * C + c) * S + u) * S + v) * S + w];
      }
    }
    float* cp = col.data();
#pragma omp parallel for
    for (long o = 0; o < O; ++o) {
      float* y = Y + (n * O + o) * P3;
      std::vector<float> part(P3);
      memset(y, 0, P3 * sizeof(float));
      for (long r0 = 0; r0 < R; r0 += 64) {  // blocked sums keep the error small
        std::fill(part.begin(), part.end(), 0.0f);
        for (long r = r0; r < R && r < r0 + 64; ++r) { const float w = Wt[o * R + r] / 20.0f; const float* f = cp + r * P3; for (long i = 0; i < P3; ++i) part[i] += w * f[i]; }
        for (long i = 0; i < P3; ++i) y[i] += part[i];
      }
    }
  }
}
"""

def _build():
    d = tempfile.mkdtemp()
    p = os.path.join(d, "k.cpp")
    with open(p, "w") as f:
        f.write(SRC)
    subprocess.run(["g++", "-O3", "-std=c++17", "-shared", "-fPIC", "-march=native", "-fopenmp", p, "-o", p + ".so"], check=True)
    return ctypes.CDLL(p + ".so")

L = _build()
P = lambda t: ctypes.c_void_p(t.data_ptr())
I = ctypes.c_long
F = ctypes.c_float

class ModelNew(nn.Module):
    def forward(self, x, weight):
        assert x.dtype == torch.float32
        x, weight = x.contiguous(), weight.contiguous()
        n, c, s = x.shape[:3]
        y = x.new_empty(n, weight.shape[0], s, s, s)
        if y.numel():
            L.conv3d(P(x), P(weight), P(y), I(n), I(c), I(weight.shape[0]), I(s))
        return y
