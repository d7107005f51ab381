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
#include <cfloat>
extern "C" void sort_rows(const float* x, float* y, long rows, long n) {
  long m = 1;
  while (m < n) m *= 2;
  std::vector<float> a(m);
  for (long r = 0; r < rows; ++r) {
    for (long i = 0; i < m; ++i) a[i] = i < n ? x[r * n + i] : FLT_MAX;
    for (long k = 2; k <= m; k *= 2)
      for (long j = k / 2; j > 0; j /= 2)
        for (long i = 0; i < m; ++i) {
          const long l = i ^ j;
          if (l > i && ((a[i] > a[l]) == ((i & k) == 0)) && a[i] != a[l]) std::swap(a[i], a[l]);
        }
    memcpy(y + r * n, a.data(), n * sizeof(float));
  }
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
        n = x.shape[-1]
        y = torch.empty_like(x)
        _lib.sort_rows(_P(x), _P(y), _L(x.numel() // n if n else 0), _L(n))
        return y

