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
extern "C" void avgpool(const float* x, float* y, long N, long H, long W, long OH, long OW, long k, long s, long p) {
  for (long n = 0; n < N; ++n)
    for (long i = 0; i < OH; ++i)
      for (long j = 0; j < OW; ++j) {
        long h0 = i * s - p, w0 = j * s - p;
        long h1 = std::min(h0 + k, H + p), w1 = std::min(w0 + k, W + p);
        const long count = (h1 - h0) * (w1 - w0);
        h0 = std::max(h0, 0L); w0 = std::max(w0, 0L); h1 = std::min(h1, H); w1 = std::min(w1, W);
        float acc = 0.f;
        for (long h = h0; h < h1; ++h) for (long w = w0; w < w1; ++w) acc += x[(n * H + h) * W + w];
        y[(n * OH + i) * OW + j] = acc / count;
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
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.k, self.s, self.p = kernel_size, stride, padding

    def _out(self, n):
        o = -((n + 2 * self.p - self.k) // -self.s) + 1
        if (o - 1) * self.s >= n + self.p:
            o -= 1
        return o

    def forward(self, x):
        x = x.contiguous()
        H, W = x.shape[-2:]
        y = torch.empty((*x.shape[:-2], self._out(H), self._out(W)), dtype=x.dtype)
        N = 1
        for d in x.shape[:-2]:
            N *= d
        _lib.avgpool(_P(x), _P(y), _L(N), _L(H), _L(W), _L(y.shape[-2]), _L(y.shape[-1]), _L(self.k), _L(self.s), _L(self.p))
        return y

