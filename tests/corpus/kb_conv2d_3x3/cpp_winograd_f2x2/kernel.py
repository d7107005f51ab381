"""Winograd F(2x2, 3x3): 16 multiplies per 2x2 output tile instead of 36.

U = G g G^T is recomputed whenever the filter changes (key: address, version counter, shape), as any
inference library does with pre-transformed weights.  Because B^T d B subtracts inputs from each other,
an Inf would become NaN in outputs that the definition keeps Inf; if the input or filter has a
non-finite value the direct loop is taken instead.
"""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

extern "C" int all_finite(const float* p, long n) {
  int ok = 1;
  for (long i = 0; i < n; ++i) ok &= std::isfinite(p[i]) ? 1 : 0;
  return ok;
}

// u: [16][Co][Ci]
extern "C" void filter_transform(const float* w, float* u, long Co, long Ci) {
  for (long o = 0; o < Co; ++o) for (long c = 0; c < Ci; ++c) {
    const float* g = w + (o * Ci + c) * 9;
    float t[4][3];
    for (int j = 0; j < 3; ++j) {
      const float a = g[j], b = g[3 + j], d = g[6 + j];
      t[0][j] = a; t[1][j] = 0.5f * (a + b + d); t[2][j] = 0.5f * (a - b + d); t[3][j] = d;
    }
    for (int i = 0; i < 4; ++i) {
      const float a = t[i][0], b = t[i][1], d = t[i][2];
      const float r[4] = {a, 0.5f * (a + b + d), 0.5f * (a - b + d), d};
      for (int j = 0; j < 4; ++j) u[((i * 4 + j) * Co + o) * Ci + c] = r[j];
    }
  }
}

extern "C" void winograd(const float* x, const float* u, const float* bias, float* y, long B, long Ci, long Co, long H, long W) {
  const long TH = (H + 1) / 2, TW = (W + 1) / 2;
  std::vector<float> v(16 * Ci * TW), m(16 * Co * TW);
  for (long n = 0; n < B; ++n) for (long th = 0; th < TH; ++th) {
    // input transform of one strip of tiles: v[16][Ci][TW]
    for (long c = 0; c < Ci; ++c) for (long tw = 0; tw < TW; ++tw) {
      float d[4][4], t[4][4];
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) {
        const long h = th * 2 + i - 1, q = tw * 2 + j - 1;
        d[i][j] = (h >= 0 && h < H && q >= 0 && q < W) ? x[((n * Ci + c) * H + h) * W + q] : 0.f;
      }
      for (int j = 0; j < 4; ++j) {
        t[0][j] = d[0][j] - d[2][j]; t[1][j] = d[1][j] + d[2][j];
        t[2][j] = d[2][j] - d[1][j]; t[3][j] = d[1][j] - d[3][j];
      }
      for (int i = 0; i < 4; ++i) {
        const float r[4] = {t[i][0] - t[i][2], t[i][1] + t[i][2], t[i][2] - t[i][1], t[i][1] - t[i][3]};
        for (int j = 0; j < 4; ++j) v[((i * 4 + j) * Ci + c) * TW + tw] = r[j];
      }
    }
    // sixteen small products: m = u * v
    std::memset(m.data(), 0, sizeof(float) * m.size());
    for (int e = 0; e < 16; ++e) for (long o = 0; o < Co; ++o) {
      float* mo = m.data() + (e * Co + o) * TW;
      for (long c = 0; c < Ci; ++c) {
        const float s = u[(e * Co + o) * Ci + c]; const float* vc = v.data() + (e * Ci + c) * TW;
        for (long q = 0; q < TW; ++q) mo[q] += s * vc[q];
      }
    }
    // output transform
    for (long o = 0; o < Co; ++o) for (long tw = 0; tw < TW; ++tw) {
      float a[4][4], t[2][4];
      for (int e = 0; e < 16; ++e) a[e / 4][e % 4] = m[(e * Co + o) * TW + tw];
      for (int j = 0; j < 4; ++j) { t[0][j] = a[0][j] + a[1][j] + a[2][j]; t[1][j] = a[1][j] - a[2][j] - a[3][j]; }
      for (int i = 0; i < 2; ++i) {
        const float r[2] = {t[i][0] + t[i][1] + t[i][2], t[i][1] - t[i][2] - t[i][3]};
        for (int j = 0; j < 2; ++j) {
          const long h = th * 2 + i, q = tw * 2 + j;
          if (h < H && q < W) y[((n * Co + o) * H + h) * W + q] = r[j] + bias[o];
        }
      }
    }
  }
}

extern "C" void direct(const float* x, const float* w, const float* bias, float* y, long B, long Ci, long Co, long H, long W) {
  for (long n = 0; n < B; ++n) for (long o = 0; o < Co; ++o) for (long h = 0; h < H; ++h) for (long q = 0; q < W; ++q) {
    float s = bias[o];
    for (long c = 0; c < Ci; ++c) for (long i = 0; i < 3; ++i) for (long j = 0; j < 3; ++j) {
      const long a = h + i - 1, b = q + j - 1;
      const float v = (a >= 0 && a < H && b >= 0 && b < W) ? x[((n * Ci + c) * H + a) * W + b] : 0.f;
      s += v * w[((o * Ci + c) * 3 + i) * 3 + j];
    }
    y[((n * Co + o) * H + h) * W + q] = s;
  }
}
"""


def _load():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:20]
    home = os.path.join(tempfile.gettempdir(), f"winograd-{key}")
    os.makedirs(home, exist_ok=True)
    final = os.path.join(home, "w.so")
    if not os.path.exists(final):
        mine = os.path.join(home, f"{os.getpid()}")
        with open(mine + ".cpp", "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++14", "-fPIC", "-shared", mine + ".cpp", "-o", mine + ".so"], check=True)
        os.replace(mine + ".so", final)
    return ctypes.CDLL(final)


_dll = _load()


def _a(t):
    return ctypes.c_void_p(t.data_ptr())


def _n(*ints):
    return [ctypes.c_long(i) for i in ints]


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, 3, padding=1)
        self._u_key, self._u, self._w_finite = None, None, True

    def _transformed(self):
        w = self.conv2d.weight
        key = (w.data_ptr(), w._version, tuple(w.shape), w.dtype)
        if key != self._u_key:
            flat = w.detach().contiguous()
            u = torch.empty(16, w.shape[0], w.shape[1])
            _dll.filter_transform(_a(flat), _a(u), *_n(w.shape[0], w.shape[1]))
            self._w_finite = bool(_dll.all_finite(_a(flat), *_n(flat.numel())))
            self._u_key, self._u = key, u
        return self._u

    def forward(self, x):
        w, b = self.conv2d.weight, self.conv2d.bias
        Co, Ci = w.shape[:2]
        if x.dtype != torch.float32 or x.dim() != 4 or x.shape[1] != Ci:
            raise ValueError("expected float32 NCHW with %d channels" % Ci)
        x = x.contiguous()
        B, _, H, W = x.shape
        y = torch.empty(B, Co, H, W)
        u = self._transformed()
        if self._w_finite and _dll.all_finite(_a(x), *_n(x.numel())):
            _dll.winograd(_a(x), _a(u), _a(b), _a(y), *_n(B, Ci, Co, H, W))
        else:
            flat = w.detach().contiguous()
            _dll.direct(_a(x), _a(flat), _a(b), _a(y), *_n(B, Ci, Co, H, W))
        return y
