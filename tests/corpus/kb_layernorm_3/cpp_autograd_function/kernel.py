"""LayerNorm as a custom autograd.Function: own forward AND own backward in C++."""
import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_cxx = r"""
#include <cmath>
extern "C" {
void fwd(const float* x, const float* g, const float* b, float* y, float* mu, float* rs, long R, long n, double eps) {
  for (long r = 0; r < R; ++r) {
    const float* a = x + r * n; double s = 0, q = 0;
    for (long i = 0; i < n; ++i) s += a[i];
    const double m = s / n;
    for (long i = 0; i < n; ++i) { const double d = a[i] - m; q += d * d; }
    const double k = 1.0 / std::sqrt(q / n + eps);
    mu[r] = (float)m; rs[r] = (float)k;
    for (long i = 0; i < n; ++i) y[r * n + i] = (float)((a[i] - m) * k * g[i] + b[i]);
  }
}
void bwd(const float* dy, const float* x, const float* g, const float* mu, const float* rs,
         float* dx, double* dg, double* db, long R, long n) {
  for (long r = 0; r < R; ++r) {
    double c1 = 0, c2 = 0; const double m = mu[r], k = rs[r];
    for (long i = 0; i < n; ++i) {
      const double xh = (x[r * n + i] - m) * k, d = dy[r * n + i], w = d * g[i];
      c1 += w; c2 += w * xh; dg[i] += d * xh; db[i] += d;
    }
    c1 /= n; c2 /= n;
    for (long i = 0; i < n; ++i) {
      const double xh = (x[r * n + i] - m) * k;
      dx[r * n + i] = (float)((dy[r * n + i] * (double)g[i] - c1 - xh * c2) * k);
    }
  }
}
}
"""
_d = tempfile.mkdtemp()
_s = os.path.join(_d, "ln.cpp")
with open(_s, "w") as _h:
    _h.write(_cxx)
subprocess.run(["g++", "-O2", "-ftree-vectorize", "-shared", "-fPIC", _s, "-o", _d + "/ln.so"], check=True)
_ln = ctypes.CDLL(_d + "/ln.so")


def _v(*ts):
    return [ctypes.c_void_p(t.data_ptr()) for t in ts]


class _LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, g, b, eps):
        x, g, b = x.contiguous(), g.contiguous(), b.contiguous()
        n = x.shape[-1]
        rows = x.numel() // n
        y = torch.empty_like(x)
        mu, rs = torch.empty(rows), torch.empty(rows)
        _ln.fwd(*_v(x, g, b, y, mu, rs), ctypes.c_long(rows), ctypes.c_long(n), ctypes.c_double(eps))
        ctx.save_for_backward(x, g, mu, rs)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, g, mu, rs = ctx.saved_tensors
        dy = dy.contiguous()
        n = x.shape[-1]
        dx = torch.empty_like(x)
        dg, db = torch.zeros(n, dtype=torch.float64), torch.zeros(n, dtype=torch.float64)
        _ln.bwd(*_v(dy, x, g, mu, rs, dx, dg, db), ctypes.c_long(x.numel() // n), ctypes.c_long(n))
        return dx, dg.to(g.dtype), db.to(g.dtype), None


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        assert x.dtype == torch.float32, x.dtype
        assert x.shape[-1:] == torch.Size(self.ln.normalized_shape)
        return _LayerNorm.apply(x, self.ln.weight, self.ln.bias, self.ln.eps)
