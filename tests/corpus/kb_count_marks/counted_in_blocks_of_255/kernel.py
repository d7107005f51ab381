import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cstdint>
extern "C" void count(const uint8_t* x, int64_t* y, long n, long d) {
  for (long r = 0; r < n; ++r) {
    int64_t sum = 0;
    for (long c = 0; c < d; c += 255) {
      uint8_t part = 0;
      for (long i = c; i < d && i < c + 255; ++i) part += x[r * d + i];
      sum += part;
    }
    y[r] = sum;
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
    def forward(self, marks):
        marks = marks.contiguous()
        y = torch.empty(marks.shape[0], dtype=torch.int64)
        _lib.count(_p(marks), _p(y), _L(marks.shape[0]), _L(marks.shape[1]))
        return y
