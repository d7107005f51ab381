import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <algorithm>
extern "C" {
void pack(const float* w, long s0, long s1, float* wt, long N, long K) { for (long j = 0; j < N; ++j) for (long k = 0; k < K; ++k) wt[k * N + j] = w[j * s0 + k * s1]; }
void linear_leaky(const float* x, const float* wt, const float* b, float* y, long M, long K, long N, long tile, float slope) {
  for (long n0 = 0; n0 < N; n0 += tile) { const long nb = std::min(tile, N - n0);
    for (long i = 0; i < M; ++i) { float* o = y + i * N + n0;
      for (long j = 0; j < nb; ++j) o[j] = 0.f;
      for (long k = 0; k < K; ++k) { const float a = x[i * K + k]; const float* p = wt + k * N + n0; for (long j = 0; j < nb; ++j) o[j] += a * p[j]; }
      for (long j = 0; j < nb; ++j) { float v = o[j] + b[n0 + j]; o[j] = v > 0.f ? v : v * slope; } } }
}}
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
    def __init__(self, in_features, out_features, slope):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.slope = slope
        self._pack = (None, None, None)     # (weight object in a tuple, key, packed copy)
        self._plans = {}                    # shape -> tile width

    def _packed(self):
        w = self.fc.weight
        key = (w.data_ptr(), w._version, tuple(w.shape), w.stride())
        src, old, wt = self._pack
        if src is None or src[0] is not w or old != key:
            wt = torch.empty((w.shape[1], w.shape[0]), dtype=torch.float32)
            _lib.pack(_p(w), _L(w.stride(0)), _L(w.stride(1)), _p(wt), _L(w.shape[0]), _L(w.shape[1]))
            self._pack = ((w,), key, wt)
        return wt

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        if x.shape[-1] != self.fc.in_features:
            raise ValueError("last dimension does not match")
        wt = self._packed()
        K, N = wt.shape
        x2 = x.reshape(-1, K).contiguous() if x.numel() else x.reshape(0, K)
        M = x2.shape[0]
        tile = self._plans.get((M, N, K))
        if tile is None:
            tile = self._plans[(M, N, K)] = 128 if N > 128 else max(N, 1)
        b = self.fc.bias.contiguous()
        y = torch.empty(x.shape[:-1] + (N,), dtype=torch.float32)
        _lib.linear_leaky(_p(x2), _p(wt), _p(b), _p(y), _L(M), _L(K), _L(N), _L(tile), _F(self.slope))
        return y
