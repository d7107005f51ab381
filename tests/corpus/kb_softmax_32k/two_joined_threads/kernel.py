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
#include <cstring>
#include <vector>
#include <algorithm>
#include <thread>
static void rows_(const float* x, float* y, long r0, long r1, long n) {
  for (long r = r0; r < r1; ++r) {
    const float* a = x + r * n;
    float* o = y + r * n;
    float m = -INFINITY;
    bool bad = false;
    for (long i = 0; i < n; ++i) { bad |= a[i] != a[i]; m = a[i] > m ? a[i] : m; }
    if (bad) m = NAN;
    double s = 0;
    for (long i = 0; i < n; ++i) { o[i] = expf(a[i] - m); s += o[i]; }
    const float inv = (float)(1.0 / s);
    for (long i = 0; i < n; ++i) o[i] *= inv;
  }
}
extern "C" void softmax(const float* x, float* y, long rows, long n) {
  const long half = rows / 2;
  std::thread t(rows_, x, y, 0L, half, n);
  rows_(x, y, half, rows, n);
  t.join();
}
"""


def _compile():
    tag = hashlib.sha1(_SRC.encode()).hexdigest()[:14]
    d = os.path.join(tempfile.gettempdir(), "kern_" + tag)
    os.makedirs(d, exist_ok=True)
    so = os.path.join(d, "lib.so")
    if not os.path.exists(so):
        src = os.path.join(d, "k%d.cpp" % os.getpid())
        tmp = os.path.join(d, "k%d.so" % os.getpid())
        with open(src, "w") as fh:
            fh.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", src, "-o", tmp], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _compile()
_P = lambda t: ctypes.c_void_p(t.data_ptr())
_L = ctypes.c_long
_F = ctypes.c_float


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        _lib.softmax(_P(x), _P(y), _L(x.shape[0]), _L(x.shape[1]))
        return y

