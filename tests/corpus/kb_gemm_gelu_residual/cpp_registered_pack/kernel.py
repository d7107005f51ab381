"""One fused pass: GEMM + bias + exact GELU + scale + residual.

The weight is repacked into panels of 16 outputs.  The packed copy lives in a non-persistent buffer (it moves
with the module but is not in the state_dict) and is rebuilt when the parameter's address or version changes.
"""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_CPP = r"""
#include <cmath>
#include <thread>
#include <vector>
enum { NR = 16 };
extern "C" void pack(const float* w, float* p, long O, long K) {
  for (long o = 0; o < (O + NR - 1) / NR * NR; ++o) for (long k = 0; k < K; ++k)
    p[(o / NR) * NR * K + k * NR + o % NR] = o < O ? w[o * K + k] : 0.f;
}
static void band(const float* x, const float* p, const float* b, float* y, long m0, long m1, long K, long O, float scale) {
  for (long i = m0; i < m1; ++i) for (long ob = 0; ob * NR < O; ++ob) {
    float acc[NR] = {0};
    const float* q = p + ob * NR * K;
    for (long k = 0; k < K; ++k) { const float a = x[i * K + k]; for (int j = 0; j < NR; ++j) acc[j] += a * q[k * NR + j]; }
    for (int j = 0; j < NR && ob * NR + j < O; ++j) {
      const long o = ob * NR + j; const float z = acc[j] + b[o];
      y[i * O + o] = x[i * K + o] + 0.5f * z * (1.0f + std::erf(z * 0.70710678118654752f)) * scale;   // K == O
    }
  }
}
extern "C" void fused(const float* x, const float* p, const float* b, float* y, long M, long K, long O, float scale) {
  std::thread t(band, x, p, b, y, M / 2, M, K, O, scale);
  band(x, p, b, y, 0, M / 2, K, O, scale);
  t.join();
}
"""


def _lib():
    so = os.path.join(tempfile.gettempdir(), "ggr_" + hashlib.sha256(_CPP.encode()).hexdigest()[:16] + ".so")
    if not os.path.exists(so):
        for extra in (["-march=native"], []):
            r = subprocess.run(["g++", "-O3", *extra, "-pthread", "-shared", "-fPIC", "-x", "c++", "-", "-o", f"{so}.{os.getpid()}"], input=_CPP.encode())
            if r.returncode == 0:
                break
        os.replace(f"{so}.{os.getpid()}", so)
    return ctypes.CDLL(so)


_L = _lib()


class ModelNew(nn.Module):
    def __init__(self, features, scale):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.scale = scale
        self.register_buffer("_panels", torch.empty(0), persistent=False)
        self._stamp = None

    def _refresh(self):
        w = self.linear.weight
        stamp = (w.data_ptr(), w._version, w.shape)
        if stamp != self._stamp:
            O, K = w.shape
            self._panels = torch.empty((O + 15) // 16 * 16 * K)
            flat = w.detach().contiguous()
            _L.pack(ctypes.c_void_p(flat.data_ptr()), ctypes.c_void_p(self._panels.data_ptr()), ctypes.c_long(O), ctypes.c_long(K))
            self._stamp = stamp
        return self._panels

    def forward(self, x):
        O, K = self.linear.weight.shape
        if x.dtype != torch.float32 or x.shape[-1] != K:
            raise ValueError(f"float32 with {K} features expected, got {x.dtype} {tuple(x.shape)}")
        x = x.contiguous()
        y = torch.empty_like(x)
        P, N = ctypes.c_void_p, ctypes.c_long
        _L.fused(P(x.data_ptr()), P(self._refresh().data_ptr()), P(self.linear.bias.data_ptr()), P(y.data_ptr()), N(x.numel() // K), N(K), N(O), ctypes.c_float(self.scale))
        return y
