import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
extern "C" void im2col(const float* x, float* col, long C, long H, long W, long K, long P) {
  for (long c = 0; c < C; ++c) for (long i = 0; i < K; ++i) for (long j = 0; j < K; ++j) {
    float* o = col + ((c * K + i) * K + j) * H * W;
    for (long y = 0; y < H; ++y) for (long z = 0; z < W; ++z) { long a = y - P + i, b = z - P + j; o[y * W + z] = (a >= 0 && a < H && b >= 0 && b < W) ? x[(c * H + a) * W + b] : 0.f; }
  }
}
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


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=1)

    def forward(self, x):
        x = x.contiguous()
        n, c, h, w = x.shape
        k = self.conv.kernel_size[0]
        col = torch.empty(n, c * k * k, h * w)
        for i in range(n):
            _lib.im2col(_p(x[i]), _p(col[i]), _L(c), _L(h), _L(w), _L(k), _L(1))
        out = self.conv.weight.view(self.conv.out_channels, -1) @ col
        out += self.conv.bias.view(1, -1, 1)
        return out.view(n, -1, h, w)
