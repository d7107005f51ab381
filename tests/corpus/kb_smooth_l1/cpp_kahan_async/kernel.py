"""Mean smooth-L1 with compensated (Kahan-Babuska-Neumaier) sums, one partial sum per std::async task.

Compensation turns an infinite sum into NaN, so a plain sum is carried along and decides when the result
is not finite.
"""
import ctypes as C
import os
import subprocess
import sys
import tempfile

import torch
import torch.nn as nn

_SOURCE = r"""
#include <cmath>
#include <future>
#include <utility>
#include <vector>
namespace {
struct Sum {
  float s = 0, c = 0; double plain = 0;
  void add(float v) {
    const float t = s + v;
    c += std::fabs(s) >= std::fabs(v) ? (s - t) + v : (v - t) + s;
    s = t; plain += v;
  }
  double total() const { const double k = (double)s + (double)c; return std::isfinite(k) ? k : plain; }
};
double part(const float* p, const float* t, long lo, long hi) {
  Sum sum;
  for (long i = lo; i < hi; ++i) {
    const float d = std::fabs(p[i] - t[i]);
    sum.add(d < 1.0f ? 0.5f * d * d : d - 0.5f);
  }
  return sum.total();
}
}
extern "C" float smooth_l1(const float* p, const float* t, long n) {
  const long chunk = 1 << 16;
  std::vector<std::future<double>> parts;
  for (long lo = chunk; lo < n; lo += chunk)
    parts.push_back(std::async(std::launch::async | std::launch::deferred, part, p, t, lo, lo + chunk < n ? lo + chunk : n));
  double sum = part(p, t, 0, n < chunk ? n : chunk);
  for (auto& f : parts) sum += f.get();
  return (float)(sum / (double)n);
}
"""


def load(source):
    with tempfile.TemporaryDirectory(prefix="smoothl1-") as tmp:
        cpp, so = os.path.join(tmp, "s.cpp"), os.path.join(tmp, "s.so")
        with open(cpp, "w", encoding="ascii") as fh:
            fh.write(source)
        r = subprocess.run(["g++", "-std=c++17", "-O2", "-pthread", "-fPIC", "-shared", cpp, "-o", so], stderr=subprocess.PIPE, text=True)
        if r.returncode != 0:
            print(r.stderr, file=sys.stderr)
            raise RuntimeError("g++ failed")
        return C.CDLL(so)


_fn = load(_SOURCE).smooth_l1
_fn.argtypes, _fn.restype = (C.c_void_p, C.c_void_p, C.c_long), C.c_float


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        if predictions.dtype != torch.float32 or targets.dtype != torch.float32:
            raise TypeError("float32 expected")
        p, t = torch.broadcast_tensors(predictions, targets)
        p, t = p.contiguous(), t.contiguous()
        value = _fn(p.data_ptr(), t.data_ptr(), p.numel())
        return torch.tensor(value, dtype=torch.float32)
