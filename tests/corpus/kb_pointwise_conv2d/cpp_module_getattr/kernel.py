"""The native library is a lazy module attribute (PEP 562): `native` does not exist until asked for."""
import ctypes
import os
import subprocess
import sys
import tempfile

import torch
import torch.nn as nn

_PROGRAM = r"""
#include <algorithm>
#include <functional>
// Y[n] = W X[n] + b, X[n] is C x P.  Blocked 4 output channels x 64 pixels.
static void block4(const float* w, const float* x, float (*acc)[64], long C, long P, long p0, long np, long no) {
  for (long c = 0; c < C; ++c) {
    const float* in = x + c * P + p0;
    for (long o = 0; o < no; ++o) { const float s = w[o * C + c]; float* a = acc[o]; for (long p = 0; p < np; ++p) a[p] += s * in[p]; }
  }
}
extern "C" void pointwise(const float* x, const float* w, const float* b, float* y, long N, long C, long O, long P) {
  for (long n = 0; n < N; ++n)
    for (long p0 = 0; p0 < P; p0 += 64) {
      const long np = std::min(64L, P - p0);
      for (long o = 0; o < O; o += 4) {
        const long no = std::min(4L, O - o);
        float acc[4][64];
        for (long i = 0; i < no; ++i) std::fill(acc[i], acc[i] + np, b ? b[o + i] : 0.f);
        block4(w + o * C, x + n * C * P, acc, C, P, p0, np, no);
        for (long i = 0; i < no; ++i) std::copy(acc[i], acc[i] + np, y + (n * O + o + i) * P + p0);
      }
    }
}
"""


def __getattr__(name):
    if name != "native":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = _bring_up()
    globals()["native"] = made
    return made


def _bring_up():
    workdir = tempfile.mkdtemp(prefix="pw_")
    lib = os.path.join(workdir, "pw.so")
    flags = ["-O3", "-shared", "-fPIC"]
    cmd = ["g++", "-x", "c++", "-", "-o", lib]
    try:
        subprocess.run(cmd + flags + ["-march=native"], input=_PROGRAM, text=True, check=True, capture_output=True)
    except (subprocess.CalledProcessError, OSError):
        subprocess.run(cmd + flags, input=_PROGRAM, text=True, check=True)
    return ctypes.CDLL(lib)


def _native():
    space = globals()
    return space["native"] if "native" in space else __getattr__("native")


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, bias=True):
        super().__init__()
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        layer = self.conv1d
        if x.dim() != 4 or x.size(1) != layer.in_channels:
            raise ValueError(tuple(x.shape))
        x = x.contiguous()
        w = layer.weight.detach().contiguous()
        y = torch.empty((x.size(0), layer.out_channels, x.size(2), x.size(3)), dtype=x.dtype)
        bias = layer.bias.data_ptr() if layer.bias is not None else 0
        pix = x.size(2) * x.size(3)
        _native().pointwise(
            *map(ctypes.c_void_p, (x.data_ptr(), w.data_ptr(), bias or None, y.data_ptr())),
            *map(ctypes.c_long, (x.size(0), x.size(1), layer.out_channels, pix)),
        )
        return y
