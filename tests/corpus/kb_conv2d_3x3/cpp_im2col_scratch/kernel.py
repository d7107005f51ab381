import ctypes
import os
import subprocess
import tempfile
import threading
import weakref

import torch
import torch.nn as nn

_TEXT = r'''
#include <cstring>
#include <thread>
extern "C" {
static void lower(const float* x, float* col, long C, long H, long W) {
  for (long c = 0; c < C; ++c) for (long i = -1; i <= 1; ++i) for (long j = -1; j <= 1; ++j) {
    float* dst = col + (c * 9 + (i + 1) * 3 + (j + 1)) * H * W;
    for (long h = 0; h < H; ++h) for (long w = 0; w < W; ++w) {
      const long a = h + i, b = w + j;
      dst[h * W + w] = (a < 0 || a >= H || b < 0 || b >= W) ? 0.f : x[(c * H + a) * W + b];
    }
  }
}
static void gemm(const float* w, const float* col, const float* b, float* y, long o0, long o1, long R, long P) {
  enum { BLK = 256 };
  for (long p0 = 0; p0 < P; p0 += BLK) {
    const long n = P - p0 < BLK ? P - p0 : BLK;
    for (long o = o0; o < o1; ++o) {
      float acc[BLK];
      for (long p = 0; p < n; ++p) acc[p] = b[o];
      for (long r = 0; r < R; ++r) {
        const float s = w[o * R + r]; const float* q = col + r * P + p0;
        for (long p = 0; p < n; ++p) acc[p] += s * q[p];
      }
      std::memcpy(y + o * P + p0, acc, sizeof(float) * n);
    }
  }
}
void conv(const float* x, const float* w, const float* b, float* col, float* y, long B, long C, long O, long H, long W) {
  const long P = H * W, R = C * 9;
  for (long n = 0; n < B; ++n) {
    lower(x + n * C * P, col, C, H, W);
    std::thread helper(gemm, w, col, b, y + n * O * P, 0L, O / 2, R, P);
    gemm(w, col, b, y + n * O * P, O / 2, O, R, P);
    helper.join();
  }
}
}
'''


class _Workspace:
    """Uninitialised scratch memory by shape.  Never handed out: `forward` returns its own tensor."""

    def __init__(self, limit=4):
        self.limit, self.pool, self.lock = limit, {}, threading.Lock()

    def take(self, *shape):
        with self.lock:
            got = self.pool.pop(shape, None)
        return torch.empty(shape) if got is None else got

    def give(self, t):
        with self.lock:
            while len(self.pool) >= self.limit:
                self.pool.pop(next(iter(self.pool)))
            self.pool[tuple(t.shape)] = t


def _make():
    folder = tempfile.TemporaryDirectory()
    cpp = os.path.join(folder.name, "conv.cpp")
    with open(cpp, "wt") as f:
        print(_TEXT, file=f)
    subprocess.check_output(["g++", cpp, "-O3", "-pthread", "-shared", "-fPIC", "-o", cpp + ".so"], stderr=subprocess.STDOUT)
    lib = ctypes.CDLL(cpp + ".so")
    weakref.finalize(lib, folder.cleanup)
    return lib


LIB = _make()
WS = _Workspace()


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    def forward(self, x):
        W_, B_ = self.conv2d.weight.detach().contiguous(), self.conv2d.bias.detach().contiguous()
        x = x.contiguous()
        n, c, h, w = x.shape
        assert c == W_.shape[1]
        out = x.new_empty((n, W_.shape[0], h, w))
        if out.numel() == 0:
            return out
        col = WS.take(c * 9, h * w)
        try:
            ptrs = (ctypes.c_void_p * 5)(*(t.data_ptr() for t in (x, W_, B_, col, out)))
            LIB.conv(*(ctypes.c_void_p(p) for p in ptrs), *(ctypes.c_long(v) for v in (n, c, W_.shape[0], h, w)))
        finally:
            WS.give(col)
        return out
