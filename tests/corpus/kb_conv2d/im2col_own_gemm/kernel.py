import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
extern "C" {
void im2col(const float* x, float* col, long C, long H, long W, long KH, long KW, long OH, long OW, long sh, long sw, long ph, long pw, long dh, long dw) {
  for (long c = 0; c < C; ++c) for (long i = 0; i < KH; ++i) for (long j = 0; j < KW; ++j) {
    float* o = col + ((c * KH + i) * KW + j) * OH * OW;
    for (long y = 0; y < OH; ++y) for (long z = 0; z < OW; ++z) {
      long a = y * sh - ph + i * dh, b = z * sw - pw + j * dw;
      o[y * OW + z] = (a >= 0 && a < H && b >= 0 && b < W) ? x[(c * H + a) * W + b] : 0.f;
    }
  }
}
void gemm_bias(const float* w, const float* col, const float* bias, float* out, long M, long N, long K) {
  for (long m = 0; m < M; ++m) {
    float* o = out + m * N;
    for (long n = 0; n < N; ++n) o[n] = 0.f;
    for (long k = 0; k < K; ++k) { const float a = w[m * K + k]; const float* p = col + k * N; for (long n = 0; n < N; ++n) o[n] += a * p[n]; }
    if (bias) for (long n = 0; n < N; ++n) o[n] += bias[m];
  }
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


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=1)
        self._scratch = None

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        unbatched = x.dim() == 3
        if unbatched:
            x = x.unsqueeze(0)
        c = self.conv
        if x.shape[1] != c.in_channels:
            raise ValueError("wrong number of channels")
        x = x.contiguous()
        w = c.weight.contiguous()
        (kh, kw), (sh, sw), (ph, pw), (dh, dw) = c.kernel_size, c.stride, c.padding, c.dilation
        n, ci, h, wd = x.shape
        oh = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1
        ow = (wd + 2 * pw - dw * (kw - 1) - 1) // sw + 1
        if oh <= 0 or ow <= 0:
            raise ValueError("output size is too small")
        need = ci * kh * kw * oh * ow
        if self._scratch is None or self._scratch.numel() < need:
            self._scratch = torch.empty(need, dtype=torch.float32)
        col = self._scratch
        out = torch.empty((n, c.out_channels, oh, ow), dtype=torch.float32)
        bias = ctypes.c_void_p(c.bias.data_ptr() if c.bias is not None else None)
        for i in range(n):
            _lib.im2col(_p(x[i]), _p(col), _L(ci), _L(h), _L(wd), _L(kh), _L(kw), _L(oh), _L(ow), _L(sh), _L(sw), _L(ph), _L(pw), _L(dh), _L(dw))
            _lib.gemm_bias(_p(w), _p(col), bias, _p(out[i]), _L(c.out_channels), _L(oh * ow), _L(ci * kh * kw))
        return out[0] if unbatched else out
