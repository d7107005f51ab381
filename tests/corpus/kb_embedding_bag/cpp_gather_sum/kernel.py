import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cstdint>
extern "C" long bag_sum(const int64_t* idx, const float* w, float* y, long bags, long len, long num, long dim) {
  for (long b = 0; b < bags; ++b) {
    float* o = y + b * dim;
    for (long d = 0; d < dim; ++d) o[d] = 0.f;
    for (long l = 0; l < len; ++l) {
      const int64_t i = idx[b * len + l];
      if (i < 0 || i >= num) return b * len + l + 1;
      const float* r = w + i * dim;
      for (long d = 0; d < dim; ++d) o[d] += r[d];
    }
  }
  return 0;
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


_lib.bag_sum.restype = ctypes.c_long


class ModelNew(nn.Module):
    def __init__(self, num, dim):
        super().__init__()
        self.emb = nn.EmbeddingBag(num, dim, mode="sum")

    def forward(self, idx):
        if idx.dim() != 2 or idx.dtype not in (torch.int64, torch.int32):
            raise TypeError("expected a 2-D integer tensor")
        idx = idx.to(torch.int64).contiguous()
        w = self.emb.weight.contiguous()
        y = torch.empty((idx.shape[0], w.shape[1]), dtype=torch.float32)
        bad = _lib.bag_sum(_p(idx), _p(w), _p(y), _L(idx.shape[0]), _L(idx.shape[1]), _L(w.shape[0]), _L(w.shape[1]))
        if bad:
            raise IndexError("index out of range at position %d" % (bad - 1))
        return y
