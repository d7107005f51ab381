import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
extern "C" {
typedef float* (*alloc_t)(long);
int scan(const float* x, long outer, long n, long inner, alloc_t alloc) {
  float* y = alloc(outer * n * inner);
  if (!y && outer * n * inner) return 1;
  for (long o = 0; o < outer; ++o) for (long c = 0; c < inner; ++c) {
    double s = 0; const float* a = x + o * n * inner + c; float* b = y + o * n * inner + c;
    for (long i = 0; i < n; ++i) { s += a[i * inner]; b[i * inner] = (float)s; }
  }
  return 0;
}}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "ck_" + key)
    os.makedirs(folder, exist_ok=True)
    so = os.path.join(folder, "k.so")
    if not os.path.exists(so):
        cpp = os.path.join(folder, "k_%d.cpp" % os.getpid())
        tmp = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(cpp, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", tmp, cpp, "-ldl"], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _build()
_L = ctypes.c_long
_F = ctypes.c_float


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


_ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_long)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        x = x.contiguous()
        slot = []

        def alloc(n):
            slot.append(torch.empty(n, dtype=torch.float32))
            return slot[0].data_ptr()

        inner = 1
        for s in x.shape[2:]:
            inner *= s
        if _lib.scan(_p(x), _L(x.shape[0]), _L(x.shape[1]), _L(inner), _ALLOC(alloc)):
            raise MemoryError
        return slot[0].view(x.shape)
