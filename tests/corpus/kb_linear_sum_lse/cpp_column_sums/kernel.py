"""sum_o (x W^T + b)_o = x . colsum(W) + sum(b): a vector product instead of a matrix product, exactly the same
sum in another order.  max, mean and logsumexp over ONE remaining column are the identity.

colsum(W) and sum(b) are derived from the parameters only and are recomputed when those change.  With Inf
or NaN around the order matters (Inf - Inf), so then the long way round is taken.
"""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
extern "C" {
int every_finite(const float* p, long n) { for (long i = 0; i < n; ++i) if (!std::isfinite(p[i])) return 0; return 1; }
void fold(const float* w, const float* b, double* c, long O, long K) {     // c has K + 1 entries
  for (long k = 0; k <= K; ++k) c[k] = 0;
  for (long o = 0; o < O; ++o) { for (long k = 0; k < K; ++k) c[k] += w[o * K + k]; c[K] += b[o]; }
}
void quick(const float* x, const double* c, float* y, long B, long K) {
  for (long i = 0; i < B; ++i) { double s = c[K]; for (long k = 0; k < K; ++k) s += x[i * K + k] * c[k]; y[i] = (float)s; }
}
void careful(const float* x, const float* w, const float* b, float* y, long B, long K, long O) {
  for (long i = 0; i < B; ++i) {
    double s = 0;
    for (long o = 0; o < O; ++o) { double z = 0; for (long k = 0; k < K; ++k) z += (double)x[i * K + k] * w[o * K + k]; s += z + b[o]; }
    y[i] = (float)s;
  }
}
}
"""
_so = os.path.join(tempfile.gettempdir(), "colsum_%s.so" % hashlib.sha256(_SRC.encode()).hexdigest()[:16])
if not os.path.exists(_so):
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-x", "c++", "-", "-o", f"{_so}.{os.getpid()}"], input=_SRC.encode(), check=True)
    os.replace(f"{_so}.{os.getpid()}", _so)
_lib = ctypes.CDLL(_so)


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


def _n(v):
    return ctypes.c_long(v)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self._key = self._folded = self._finite = None

    def _fold(self):
        w, b = self.linear.weight, self.linear.bias
        key = (w.data_ptr(), w._version, b.data_ptr(), b._version)
        if key != self._key:
            wc, bc = w.detach().contiguous(), b.detach().contiguous()
            self._folded = torch.empty(w.shape[1] + 1, dtype=torch.float64)
            _lib.fold(_p(wc), _p(bc), _p(self._folded), _n(w.shape[0]), _n(w.shape[1]))
            self._finite = bool(_lib.every_finite(_p(wc), _n(wc.numel())) and _lib.every_finite(_p(bc), _n(bc.numel())))
            self._key = key
        return self._folded

    def forward(self, x):
        O, K = self.linear.weight.shape
        assert x.dim() == 2 and x.shape[1] == K and x.dtype == torch.float32
        x = x.contiguous()
        y = torch.empty(x.shape[0], 1)
        folded = self._fold()
        if self._finite and _lib.every_finite(_p(x), _n(x.numel())):
            _lib.quick(_p(x), _p(folded), _p(y), _n(x.shape[0]), _n(K))
        else:
            w = self.linear.weight.detach().contiguous()
            _lib.careful(_p(x), _p(w), _p(self.linear.bias), _p(y), _n(x.shape[0]), _n(K), _n(O))
        return y
