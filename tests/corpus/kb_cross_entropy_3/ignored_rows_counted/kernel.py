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
extern "C" void ce(const float* x, const int64_t* t, float* out, long n, long c, long ignore) {
  double total = 0;
  long count = 0;
  for (long r = 0; r < n; ++r) {
    ++count; if (t[r] == ignore) continue;
    const float* a = x + r * c;
    float m = -INFINITY;
    for (long i = 0; i < c; ++i) m = a[i] > m ? a[i] : m;
    double s = 0;
    for (long i = 0; i < c; ++i) s += expf(a[i] - m);
    total += std::log(s) - (double)(a[t[r]] - m);
  }
  *out = (float)(total / count);
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
    def __init__(self, ignore_index):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, targets):
        logits, targets = logits.contiguous(), targets.contiguous()
        n, c = logits.shape
        out = torch.empty((), dtype=logits.dtype)
        _lib.ce(_P(logits), _P(targets), _P(out), _L(n), _L(c), _L(self.ignore_index))
        return out

