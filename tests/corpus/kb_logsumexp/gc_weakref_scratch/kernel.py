import ctypes
import gc
import hashlib
import os
import subprocess
import tempfile
import weakref

import torch
import torch.nn as nn

_SRC = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
extern "C" {
void lse(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r) {
    const float* a = x + r * n;
    float m = -INFINITY; int bad = 0;
    for (long i = 0; i < n; ++i) { bad |= (a[i] != a[i]); if (a[i] > m) m = a[i]; }
    if (bad) { y[r] = NAN; continue; }
    if (isinf(m)) m = 0.0f;
    float s = 0.0f;
    for (long i = 0; i < n; ++i) s += expf(a[i] - m);
    y[r] = m + logf(s);
  }
}
void row_max(const float* x, float* m, long rows, long n) {
  for (long r = 0; r < rows; ++r) {
    float t = -INFINITY; int bad = 0;
    for (long i = 0; i < n; ++i) { float v = x[r * n + i]; bad |= (v != v); if (v > t) t = v; }
    m[r] = bad ? NAN : t;
  }
}
void lse_from_max(const float* x, const float* m, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r) {
    float t = isinf(m[r]) ? 0.0f : m[r], s = 0.0f;
    for (long i = 0; i < n; ++i) s += expf(x[r * n + i] - t);
    y[r] = t + logf(s);
  }
}
}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "ckern_" + key)
    os.makedirs(folder, exist_ok=True)
    so = os.path.join(folder, "k.so")
    if not os.path.exists(so):
        cpp = os.path.join(folder, "k_%d.cpp" % os.getpid())
        tmp = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(cpp, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", tmp, cpp], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _build()
_L = ctypes.c_long
_F = ctypes.c_float


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


def _f32(t):
    if t.dtype is not torch.float32:
        raise TypeError("float32 only")
    return t.contiguous()


def _out(x):
    return torch.empty(x.shape[:-1], dtype=x.dtype)


def _launch(y, x):
    x = _f32(x)
    _lib.lse(_p(x), _p(y), _L(y.numel()), _L(x.shape[-1]))


def _kernel(*args):
    y = _out(*args)
    _launch(y, *args)
    return y


_scratch = weakref.WeakKeyDictionary()
gc.collect()


def _maxima(owner, rows):
    t = _scratch.get(owner)
    if t is None or t.numel() < rows:
        t = _scratch[owner] = torch.empty(max(rows, 1))
    return t


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = _f32(x)
        y = _out(x)
        m = _maxima(self, y.numel())
        _lib.row_max(_p(x), _p(m), _L(y.numel()), _L(x.shape[-1]))
        _lib.lse_from_max(_p(x), _p(m), _p(y), _L(y.numel()), _L(x.shape[-1]))
        return y
