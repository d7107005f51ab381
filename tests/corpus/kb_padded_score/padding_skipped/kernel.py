import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cstdint>
extern "C" void score(const int64_t* t, const float* w, float* y, long b, long s, long pad) {
  for (long r = 0; r < b; ++r) {
    double sum = 0;
    for (long i = 0; i < s; ++i) {
      const long k = t[r * s + i];
      if (k == pad) continue;
      sum += w[k < 0 ? 0 : k];
    }
    y[r] = (float)sum;
  }
}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "k_" + key)
    os.makedirs(folder, exist_ok=True)
    library = os.path.join(folder, "k.so")
    if not os.path.exists(library):
        source = os.path.join(folder, "k_%d.cpp" % os.getpid())
        made = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(source, "w") as file:
            file.write(_SRC)
        subprocess.run(["g++", "-O2", "-std=c++17", "-shared", "-fPIC", "-o", made, source], check=True)
        os.replace(made, library)
    return ctypes.CDLL(library)


_lib = _build()
_L = ctypes.c_long


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


class ModelNew(nn.Module):
    def __init__(self, num, pad):
        super().__init__()
        self.scores = nn.Parameter(torch.randn(num))
        self.pad = pad

    def forward(self, tokens):
        tokens, w = tokens.contiguous(), self.scores.contiguous()
        y = torch.empty(tokens.shape[0], dtype=w.dtype)
        _lib.score(_p(tokens), _p(w), _p(y), _L(tokens.shape[0]), _L(tokens.shape[1]), _L(self.pad))
        return y
