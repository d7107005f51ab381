"""BatchNorm2d with its side effects: in training mode the running mean, running variance (unbiased) and
the batch counter move exactly as nn.BatchNorm2d moves them; in eval mode they are only read."""
import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_S = r"""
#include <cmath>
#include <thread>
#include <vector>
template <class F> static void over(long C, F f) {
  std::vector<std::thread> t;
  const long T = C < 2 ? 1 : 2;
  for (long k = 1; k < T; ++k) t.emplace_back([=] { for (long c = k; c < C; c += T) f(c); });
  for (long c = 0; c < C; c += T) f(c);
  for (auto& x : t) x.join();
}
extern "C" void bn_stats(const float* x, double* mean, double* var, long N, long C, long P) {
  over(C, [=](long c) {
    double s = 0, q = 0; const double cnt = (double)N * P;
    for (long n = 0; n < N; ++n) { const float* a = x + (n * C + c) * P; for (long p = 0; p < P; ++p) s += a[p]; }
    const double m = s / cnt;
    for (long n = 0; n < N; ++n) { const float* a = x + (n * C + c) * P; for (long p = 0; p < P; ++p) { const double d = a[p] - m; q += d * d; } }
    mean[c] = m; var[c] = q / cnt;
  });
}
extern "C" void bn_apply(const float* x, const double* mean, const double* var, const float* g, const float* b, float* y, long N, long C, long P, double eps) {
  over(C, [=](long c) {
    const double k = 1.0 / std::sqrt(var[c] + eps), m = mean[c], ga = g[c], be = b[c];
    for (long n = 0; n < N; ++n) for (long p = 0; p < P; ++p) { const long i = (n * C + c) * P + p; y[i] = (float)((x[i] - m) * k * ga + be); }
  });
}
extern "C" void bn_move(const double* mean, const double* var, float* rm, float* rv, long C, double count, double mom) {
  for (long c = 0; c < C; ++c) {
    rm[c] = (float)((1.0 - mom) * rm[c] + mom * mean[c]);
    rv[c] = (float)((1.0 - mom) * rv[c] + mom * var[c] * (count / (count - 1.0)));
  }
}
"""
_where = tempfile.mkdtemp(prefix="bn")
_out = os.path.join(_where, "bn.so")
subprocess.run(["g++", "-std=c++17", "-O3", "-pthread", "-fPIC", "-shared", "-x", "c++", "-", "-o", _out], input=_S.encode(), check=True)
_bn = ctypes.CDLL(_out)


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = nn.BatchNorm2d(num_features)

    @torch.no_grad()
    def forward(self, x):
        m = self.bn
        if x.dim() != 4:
            raise ValueError(f"expected 4D input (got {x.dim()}D input)")
        x = x.contiguous()
        N, C, H, W = x.shape
        count = N * H * W
        y = torch.empty_like(x)
        dims = [ctypes.c_long(v) for v in (N, C, H * W)]
        if self.training:
            if count == 1:
                raise ValueError(f"Expected more than 1 value per channel when training, got input size {x.size()}")
            m.num_batches_tracked.add_(1)
            if count == 0:  # an empty batch counts, but has no statistics
                return y
            mean, var = torch.empty(C, dtype=torch.float64), torch.empty(C, dtype=torch.float64)
            _bn.bn_stats(_p(x), _p(mean), _p(var), *dims)
            rm, rv = m.running_mean.clone(), m.running_var.clone()
            _bn.bn_move(_p(mean), _p(var), _p(rm), _p(rv), dims[1], ctypes.c_double(count), ctypes.c_double(m.momentum))
            m.running_mean.copy_(rm)  # copy_ so that version counters move too
            m.running_var.copy_(rv)
        else:
            mean, var = m.running_mean.double(), m.running_var.double()
        _bn.bn_apply(_p(x), _p(mean), _p(var), _p(m.weight), _p(m.bias), _p(y), *dims, ctypes.c_double(m.eps))
        return y
