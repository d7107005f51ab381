import ctypes
import enum
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

CPP = r"""
#include <cmath>
#include <cstdint>
// returns 0, or 1 when a target is out of range; *loss is the mean over targets that are not ignored
extern "C" int cross_entropy(const float* logits, const int64_t* target, int64_t ignore, long rows, long n, float* loss) {
  double total = 0.0; long used = 0;
  for (long r = 0; r < rows; ++r) {
    const int64_t t = target[r];
    if (t == ignore) continue;
    if (t < 0 || t >= n) return 1;
    const float* a = logits + r * n;
    double m = -INFINITY, s = 0.0;
    for (long i = 0; i < n; ++i) {
      const double v = a[i];
      if (v > m) { s = s * std::exp(m - v) + std::exp(v - v); m = v; }   // exp(v - v) is 1, or NaN for Inf
      else if (!(v == -INFINITY)) s += std::exp(v - m);                   // NaN lands here and stays
    }
    total += m + std::log(s) - (double)a[t];
    ++used;
  }
  *loss = (float)(total / (double)used);                                  // 0 / 0 is NaN, as for an empty mean
  return 0;
}
"""


class Status(enum.IntEnum):
    OK = 0
    BAD_TARGET = 1


def _build():
    tag = hashlib.sha256(CPP.encode()).hexdigest()[:16]
    so = os.path.join(tempfile.gettempdir(), f"xent_{tag}.so")
    if not os.path.exists(so):
        part = f"{so}.{os.getpid()}"
        subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-x", "c++", "-", "-o", part], input=CPP.encode(), check=True)
        os.replace(part, so)
    fn = ctypes.CDLL(so).cross_entropy
    fn.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_long, ctypes.c_long, ctypes.c_void_p]
    fn.restype = ctypes.c_int
    return fn


_xent = _build()


class ModelNew(nn.Module):
    IGNORE = -100

    def __init__(self):
        super().__init__()

    def forward(self, predictions, targets):
        if predictions.dim() != 2 or targets.dim() != 1 or predictions.shape[0] != targets.shape[0]:
            raise ValueError("expected (N, C) logits and (N,) class indices")
        logits = predictions.contiguous()
        index = targets.to(torch.int64).contiguous()
        loss = torch.empty((), dtype=torch.float32)
        status = Status(_xent(logits.data_ptr(), index.data_ptr(), self.IGNORE, logits.shape[0], logits.shape[1], loss.data_ptr()))
        if status is Status.BAD_TARGET:
            raise IndexError("Target is out of bounds.")
        return loss
