import ctypes
import hashlib
import os
import subprocess
import tempfile
import math
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
#include <vector>
extern "C" void attn(const float* q, const float* k, const float* v, float* o, long h0, long h1, long Tq, long Tk, long D, long E, float scale) {
  std::vector<float> s(Tk > 0 ? Tk : 1), acc(E > 0 ? E : 1);
  for (long h = h0; h < h1; ++h) for (long i = 0; i < Tq; ++i) {
    const float* qi = q + (h * Tq + i) * D;
    float m = -INFINITY;
    for (long j = 0; j < Tk; ++j) { const float* kj = k + (h * Tk + j) * D; float t = 0.f; for (long d = 0; d < D; ++d) t += qi[d] * kj[d]; s[j] = t * scale; if (s[j] > m) m = s[j]; }
    double z = 0; for (long j = 0; j < Tk; ++j) { s[j] = std::exp(s[j] - m); z += s[j]; }
    for (long e = 0; e < E; ++e) acc[e] = 0.f;
    for (long j = 0; j < Tk; ++j) { const float p = (float)(s[j] / z); const float* vj = v + (h * Tk + j) * E; for (long e = 0; e < E; ++e) acc[e] += p * vj[e]; }
    for (long e = 0; e < E; ++e) o[(h * Tq + i) * E + e] = acc[e];
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


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        for t in (q, k, v):
            if t.dtype != torch.float32:
                raise TypeError("float32 only")
        if q.shape[:-2] != k.shape[:-2] or q.shape[:-2] != v.shape[:-2] or k.shape[-2] != v.shape[-2] or q.shape[-1] != k.shape[-1]:
            raise ValueError("shapes do not match")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        Tq, D = q.shape[-2:]
        Tk, E = v.shape[-2:]
        out = torch.empty(q.shape[:-1] + (E,), dtype=torch.float32)
        heads = math.prod(q.shape[:-2])
        half = (heads + 1) // 2
        args = (_L(Tq), _L(Tk), _L(D), _L(E), _F(D ** -0.5 if D else 0.0))
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(_lib.attn, _p(q), _p(k), _p(v), _p(out), _L(a), _L(b), *args) for a, b in ((0, half), (half, heads)) if b > a]
            for j in jobs:
                j.result()
        return out
