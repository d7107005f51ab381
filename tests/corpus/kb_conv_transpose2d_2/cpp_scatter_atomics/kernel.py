# Scatter form: every input pixel adds its patch to the output. Two threads share the output planes, so
# the additions are compare-and-swap loops on the bits of the float. (The order of the additions, and so the last
# bits of the result, may differ between runs, like atomicAdd on a GPU.)
import ctypes
import os
import subprocess
import tempfile

import torch
from torch import nn

SRC = r"""
#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>
static inline void atomic_add(float* where, float v) {
  uint32_t* cell = reinterpret_cast<uint32_t*>(where);
  uint32_t seen = __atomic_load_n(cell, __ATOMIC_RELAXED), want;
  do { float f; std::memcpy(&f, &seen, 4); f += v; std::memcpy(&want, &f, 4); }
  while (!__atomic_compare_exchange_n(cell, &seen, want, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
extern "C" void scatter(const float* x, const float* w, const float* b, float* y, const long* d) {
  const long N = d[0], C = d[1], H = d[2], W = d[3], O = d[4], K = d[5], S = d[6], P = d[7], OH = d[8], OW = d[9];
  for (long n = 0; n < N; ++n) for (long o = 0; o < O; ++o) for (long p = 0; p < OH * OW; ++p) y[(n * O + o) * OH * OW + p] = b[o];
  std::atomic<long> next{0};
  const long jobs = N * C;
  auto body = [&] {
    std::vector<float> patch(K * K);
    for (long job; (job = next.fetch_add(1)) < jobs;) {
      const long n = job / C, c = job % C;
      for (long o = 0; o < O; ++o) {
        const float* k = w + (c * O + o) * K * K; float* out = y + (n * O + o) * OH * OW;
        for (long h = 0; h < H; ++h) for (long q = 0; q < W; ++q) {
          const float v = x[(job * H + h) * W + q];
          for (long i = 0; i < K; ++i) { const long a = h * S - P + i; if (a < 0 || a >= OH) continue;
            for (long j = 0; j < K; ++j) { const long e = q * S - P + j; if (e < 0 || e >= OW) continue; atomic_add(out + a * OW + e, v * k[i * K + j]); } }
        }
      }
    }
  };
  std::thread mate(body);
  body();
  mate.join();
}
"""

with tempfile.NamedTemporaryFile("w", suffix=".cpp", delete=False) as _f:
    _f.write(SRC)
try:
    subprocess.run(["g++", "-O2", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", _f.name + ".so", _f.name], check=True)
    _scatter = ctypes.CDLL(_f.name + ".so").scatter
finally:
    for _junk in (_f.name, _f.name + ".so"):
        if os.path.exists(_junk):
            os.unlink(_junk)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0):
        super().__init__()
        self.deconv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, output_padding=output_padding
        )

    def forward(self, x):
        t = self.deconv
        K, S, P, E = t.kernel_size[0], t.stride[0], t.padding[0], t.output_padding[0]
        x = x.contiguous()
        N, C, H, W = x.shape
        if C != t.in_channels:
            raise ValueError("wrong number of channels")
        OH = (H - 1) * S - 2 * P + K + E
        OW = (W - 1) * S - 2 * P + K + E
        y = x.new_empty(N, t.out_channels, OH, OW)
        if not y.numel():
            return y
        dims = (ctypes.c_long * 10)(N, C, H, W, t.out_channels, K, S, P, OH, OW)
        w = t.weight.detach().contiguous()
        args = [ctypes.c_void_p(v.data_ptr()) for v in (x, w, t.bias, y)]
        _scatter(*args, dims)
        return y
