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
extern "C" void codes(const float* x, int8_t* q, float* scale, long n, long d) {
  for (long r = 0; r < n; ++r) {
    float most = 0.f;
    for (long c = 0; c < d; ++c) {
      const float v = std::fabs(x[r * d + c]);
      most = v > most || v != v ? v : most;
    }
    const float s = (most < 1e-8f ? 1e-8f : most) / 127.f;
    scale[r] = s;
    for (long c = 0; c < d; ++c) {
      const float v = std::nearbyintf(x[r * d + c] / s);
      q[r * d + c] = (int8_t)(v < -127.f ? -127.f : v > 127.f ? 127.f : v);
    }
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
    def forward(self, x):
        x = x.contiguous()
        q, scale = torch.empty(x.shape, dtype=torch.int8), torch.empty((x.shape[0], 1), dtype=x.dtype)
        _lib.codes(_p(x), _p(q), _p(scale), _L(x.shape[0]), _L(x.shape[1]))
        return q, scale
