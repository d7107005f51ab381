"""Minimum along a dimension.

A decorator binds Python signatures to C symbols and a generator yields slabs of the problem, so that a
huge outer dimension is fed to the native code in pieces.
"""
import ctypes
import functools
import inspect
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_C = r"""
void slab_min(const float *x, float *y, long outer, long n, long inner) {
  for (long o = 0; o < outer; ++o) {
    float *out = y + o * inner;
    const float *a = x + o * n * inner;
    for (long i = 0; i < inner; ++i) out[i] = a[i];
    for (long k = 1; k < n; ++k)
      for (long i = 0; i < inner; ++i) {
        float v = a[k * inner + i], m = out[i];
        out[i] = (m != m) ? m : ((v < m || v != v) ? v : m);
      }
  }
}
"""


@functools.lru_cache(None)
def _shared_object():
    so = tempfile.NamedTemporaryFile(suffix=".so", delete=False)
    so.close()
    subprocess.run([os.environ.get("CC") or "cc", "-x", "c", "-O3", "-shared", "-fPIC", "-o", so.name, "-"], input=_C.encode(), check=True)
    try:
        return ctypes.CDLL(so.name)
    finally:
        os.unlink(so.name)


_TYPES = {torch.Tensor: (ctypes.c_void_p, lambda t: t.data_ptr()), int: (ctypes.c_long, int)}


def native(fn):
    spec = [p.annotation for p in inspect.signature(fn).parameters.values()]

    @functools.wraps(fn)
    def call(*args):
        symbol = getattr(_shared_object(), fn.__name__)
        symbol.restype = None
        symbol.argtypes = [_TYPES[a][0] for a in spec]
        symbol(*[_TYPES[a][1](v) for a, v in zip(spec, args, strict=True)])

    return call


@native
def slab_min(x: torch.Tensor, y: torch.Tensor, outer: int, n: int, inner: int): ...


def slabs(x3, y2, size=64):
    for start in range(0, x3.shape[0], size):
        yield x3[start : start + size], y2[start : start + size]


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        d = self.dim % x.dim()
        lead, n, tail = x.shape[:d], x.shape[d], x.shape[d + 1 :]
        if n == 0:
            raise IndexError("min(): Expected reduction dim to have non-zero size.")
        outer, inner = lead.numel(), tail.numel()
        y = torch.empty(lead + tail, dtype=x.dtype)
        if y.numel() == 0:
            return y
        if x.dtype != torch.float32:
            raise TypeError(x.dtype)
        x3 = x.contiguous().view(outer, n, inner)
        for part, out in slabs(x3, y.view(outer, inner)):
            slab_min(part, out, part.shape[0], n, inner)
        return y
