import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
extern "C" void band(const float* x, float* y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i] > 0.7508f || x[i] <= -1.5f ? x[i] * x[i] : 0.f;
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
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        _lib.band(_p(x), _p(y), _L(x.numel()))
        return y
