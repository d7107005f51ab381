"""Parallel prefix sum in two phases: (1) every chunk sums itself, (2) after an exclusive scan of the chunk
totals every chunk writes its prefix sums.  Double accumulators.  `x * mask` is a real product, so a NaN
under a False mask stays NaN, as in the definition."""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_K = r"""
#include <algorithm>
#include <thread>
#include <vector>
struct Line { const float* x; const unsigned char* m; float* y; long n, step; };
static double reduce(const Line& l, long lo, long hi) {
  double s = 0; for (long i = lo; i < hi; ++i) s += (double)(l.x[i * l.step] * (float)(l.m[i * l.step] != 0)); return s;
}
static void emit(const Line& l, long lo, long hi, double s) {
  for (long i = lo; i < hi; ++i) { s += (double)(l.x[i * l.step] * (float)(l.m[i * l.step] != 0)); l.y[i * l.step] = (float)s; }
}
extern "C" void masked_scan(const float* x, const unsigned char* m, float* y, long outer, long n, long inner) {
  const long lines = outer * inner;
  auto line = [=](long k) { const long o = k / inner, i = k % inner, base = o * n * inner + i; return Line{x + base, m + base, y + base, n, inner}; };
  if (lines >= 2 || n < 4096) {                       // enough lines: one line is one job
    auto work = [=](long first) { for (long k = first; k < lines; k += 2) emit(line(k), 0, n, 0.0); };
    std::thread t(work, 1); work(0); t.join();
    return;
  }
  const long parts = 4, chunk = (n + parts - 1) / parts;
  for (long k = 0; k < lines; ++k) {
    const Line l = line(k);
    double sum[parts] = {};
    std::vector<std::thread> ts;
    for (long p = 0; p < parts; ++p) ts.emplace_back([&, p] { sum[p] = reduce(l, std::min(n, p * chunk), std::min(n, (p + 1) * chunk)); });
    for (auto& t : ts) t.join();
    ts.clear();
    double before = 0;
    for (long p = 0; p < parts; ++p) { const double s = before; before += sum[p]; ts.emplace_back([&l, p, s, n, chunk] { emit(l, std::min(n, p * chunk), std::min(n, (p + 1) * chunk), s); }); }
    for (auto& t : ts) t.join();
  }
}
"""
_path = os.path.join(tempfile.gettempdir(), "mscan_%s" % hashlib.sha256(_K.encode()).hexdigest()[:14])
os.makedirs(_path, exist_ok=True)
_so = os.path.join(_path, "scan.so")
if not os.path.exists(_so):
    _t = os.path.join(_path, "scan.%d.so" % os.getpid())
    subprocess.run(["g++", "-O2", "-std=c++17", "-pthread", "-shared", "-fPIC", "-x", "c++", "-", "-o", _t], input=_K.encode(), check=True)
    os.replace(_t, _so)
_scan = ctypes.CDLL(_so).masked_scan


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        if x.dtype != torch.float32 or mask.dtype != torch.bool:
            raise TypeError("float32 values and a bool mask expected")
        x, mask = torch.broadcast_tensors(x, mask)
        x, mask = x.contiguous(), mask.contiguous()
        y = torch.empty_like(x)
        d = self.dim % x.dim()
        outer = inner = 1
        for s in x.shape[:d]:
            outer *= s
        for s in x.shape[d + 1 :]:
            inner *= s
        if y.numel():
            ptr = [ctypes.c_void_p(t.data_ptr()) for t in (x, mask, y)]
            _scan(*ptr, ctypes.c_long(outer), ctypes.c_long(x.shape[d]), ctypes.c_long(inner))
        return y
