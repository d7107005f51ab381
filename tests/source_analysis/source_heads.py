# ruff: noqa: E501  (candidates are judged, not styled)
"""What many candidates begin with: a kernel, or how one is built."""

TRITON_HEAD = """
import torch, math
import torch.nn as nn
import triton
import triton.language as tl

@triton.jit
def _k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) * 2.0, mask=offs < n)
"""
NUMBA_HEAD = """
import math
import torch
import torch.nn as nn
import numpy as np
from numba import njit, prange

@njit(parallel=True)
def _k(x, y):
    for i in prange(x.size):
        y[i] = x[i] * 2.0
"""
CTYPES_HEAD = '''
import ctypes, os, subprocess, tempfile
import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
extern "C" void k(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i] * 2; }
"""
def _build():
    d = tempfile.mkdtemp()
    src = os.path.join(d, "k.cpp")
    with open(src, "w") as f:
        f.write(_SRC)
    so = os.path.join(d, "k.so")
    subprocess.check_call(["g++", "-O3", "-shared", "-fPIC", src, "-o", so])
    return ctypes.CDLL(so)
'''
SIMPLE = """
class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        _k[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
        return y
"""
