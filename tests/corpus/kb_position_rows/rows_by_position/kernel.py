import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cstdint>
extern "C" void rows(const float* x, const int64_t* pos, const float* w, float* y, long b, long s, long d) {
  for (long r = 0; r < b; ++r)
    for (long i = 0; i < s; ++i)
      for (long c = 0; c < d; ++c) y[(r * s + i) * d + c] = x[(r * s + i) * d + c] + w[(long)pos[i] * d + c];
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
    def __init__(self, most, dim):
        super().__init__()
        self.table = nn.Parameter(torch.randn(most, dim))

    def forward(self, x, positions):
        x, positions, w = x.contiguous(), positions.contiguous(), self.table.contiguous()
        b, s, d = x.shape
        y = torch.empty_like(x)
        _lib.rows(_p(x), _p(positions), _p(w), _p(y), _L(b), _L(s), _L(d))
        return y
