"""Online-softmax attention in C++: no L x S score matrix is stored, only a strip of 32 keys.

Causal rows stop at the diagonal.  Skipping a masked key drops the term 0 * v, which is exact for finite v;
if v holds Inf or NaN the row runs over all keys, so that 0 * Inf gives NaN as in the dense formula.
"""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>
static void head(const float* q, const float* k, const float* v, float* o, long L, long S, long D, long E, float scale, bool causal) {
  bool clean = true;
  for (long i = 0; i < S * E; ++i) clean = clean && std::isfinite(v[i]);
  std::vector<float> acc(E);
  float sc[32];
  for (long i = 0; i < L; ++i) {
    const long live = causal ? std::min(S, i + 1) : S, end = clean ? live : S;
    float m = -INFINITY, sum = 0.f; bool poison = false;
    std::fill(acc.begin(), acc.end(), 0.f);
    for (long j0 = 0; j0 < end; j0 += 32) {
      const long n = std::min(32L, end - j0);
      float top = m;
      for (long j = 0; j < n; ++j) {
        float s = 0.f;
        if (j0 + j >= live) s = -INFINITY;
        else { for (long d = 0; d < D; ++d) s += q[i * D + d] * k[(j0 + j) * D + d]; s *= scale; }
        sc[j] = s; poison = poison || s != s || s == INFINITY; top = s > top ? s : top;
      }
      if (poison) break;
      const float base = top == -INFINITY ? 0.f : top, fade = std::exp(m - base);
      sum *= fade;
      for (long e = 0; e < E; ++e) acc[e] *= fade;
      for (long j = 0; j < n; ++j) {
        const float p = std::exp(sc[j] - base); const float* vr = v + (j0 + j) * E;
        sum += p;
        for (long e = 0; e < E; ++e) acc[e] += p * vr[e];
      }
      m = top;
    }
    for (long e = 0; e < E; ++e) o[i * E + e] = poison ? NAN : acc[e] / sum;   // no live key: 0 / 0
  }
}
extern "C" void attention(const float* q, const float* k, const float* v, float* o, long H, long L, long S, long D, long E, float scale, int causal) {
  auto run = [=](long first) { for (long h = first; h < H; h += 2) head(q + h * L * D, k + h * S * D, v + h * S * E, o + h * L * E, L, S, D, E, scale, causal); };
  std::thread other(run, 1L);
  run(0);
  other.join();
}
"""


def _load():
    so = os.path.join(tempfile.gettempdir(), "attn_" + hashlib.sha256(_SRC.encode()).hexdigest()[:16] + ".so")
    if not os.path.exists(so):
        mine = f"{so}.{os.getpid()}"
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-x", "c++", "-", "-o", mine], input=_SRC.encode(), check=True)
        os.replace(mine, so)
    return ctypes.CDLL(so)


_lib = _load()


class ModelNew(nn.Module):
    def __init__(self, causal=True):
        super().__init__()
        self.causal = causal

    def forward(self, q, k, v):
        for t in (q, k, v):
            if t.dtype != torch.float32 or t.dim() != 4:
                raise ValueError("float32 (batch, heads, length, dim) expected")
        B, H, L, D = q.shape
        S, E = k.shape[2], v.shape[3]
        if k.shape != (B, H, S, D) or v.shape[:3] != (B, H, S):
            raise ValueError("q, k and v do not fit together")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        out = torch.empty(B, H, L, E)
        if out.numel():
            _lib.attention(
                *(ctypes.c_void_p(t.data_ptr()) for t in (q, k, v, out)),
                *(ctypes.c_long(n) for n in (B * H, L, S, D, E)),
                ctypes.c_float(D**-0.5), ctypes.c_int(bool(self.causal)),
            )
        return out
