import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
#include <cstdint>
extern "C" void loss(const float* x, const int64_t* t, float* y, long n, long c) {
  double total = 0;
  long count = 0;
  for (long r = 0; r < n; ++r) {
    const long k = t[r] < 0 ? t[r] + c : t[r];
    ++count;
    const float* a = x + r * c;
    double m = -INFINITY, sum = 0;
    for (long i = 0; i < c; ++i) m = a[i] > m ? a[i] : m;
    for (long i = 0; i < c; ++i) sum += std::exp(a[i] - m);
    total += std::log(sum) + m - a[k];
  }
  *y = (float)(total / count);
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
    def forward(self, logits, targets):
        logits, targets = logits.contiguous(), targets.contiguous()
        y = torch.empty((), dtype=logits.dtype)
        _lib.loss(_p(logits), _p(targets), _p(y), _L(logits.shape[0]), _L(logits.shape[1]))
        return y
