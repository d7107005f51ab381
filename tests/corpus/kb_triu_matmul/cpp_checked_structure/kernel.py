"""triu(A @ B) for square matrices.

Below the diagonal nothing is computed.  When both operands are *found* to be upper triangular and
finite (an O(n^2) scan made on every call, nothing is assumed or remembered), the inner loop runs only
over i <= k <= j, because every other term is an exact 0 * finite = 0.  Otherwise the full inner
range is used, so that general matrices, Inf and NaN give what the dense product gives.
"""
import ctypes, os, subprocess, tempfile, threading

import torch
import torch.nn as nn

CPP = r"""
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

static bool upper_and_finite(const float* x, long n) {
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < i; ++j) if (x[i * n + j] != 0.0f) return false;   // NaN != 0 is true as well
    for (long j = i; j < n; ++j) if (!std::isfinite(x[i * n + j])) return false;
  }
  return true;
}

extern "C" void triu_mm(const float* A, const float* B, float* C, long n) {
  const bool tri = upper_and_finite(A, n) && upper_and_finite(B, n);
  auto rows = [=](long first, long step) {
    std::vector<float> acc(n);
    for (long i = first; i < n; i += step) {
      std::fill(acc.begin(), acc.end(), 0.0f);
      for (long k = tri ? i : 0; k < n; ++k) {
        const float a = A[i * n + k];
        const float* b = B + k * n;
        for (long j = tri ? k : i; j < n; ++j) acc[j] += a * b[j];
      }
      float* c = C + i * n;
      for (long j = 0; j < i; ++j) c[j] = 0.0f;
      for (long j = i; j < n; ++j) c[j] = acc[j];
    }
  };
  std::thread odd(rows, 1, 2);   // interleaved rows balance a triangle
  rows(0, 2);
  odd.join();
}
"""


class _Lazy:
    """Compiles once, on first use, under a lock."""

    def __init__(self):
        self._lock = threading.Lock()
        self._dll = None

    def __call__(self):
        with self._lock:
            if self._dll is None:
                with tempfile.TemporaryDirectory() as d:
                    src, so = os.path.join(d, "t.cpp"), os.path.join(d, "t.so")
                    open(src, "w").write(CPP)
                    cmd = ["g++", "-O3", "-std=c++17", "-pthread", "-fPIC", "-shared", src, "-o", so]
                    try:
                        subprocess.run(cmd + ["-march=native"], check=True, stderr=subprocess.DEVNULL)
                    except subprocess.CalledProcessError:
                        subprocess.run(cmd, check=True)
                    self._dll = ctypes.CDLL(so)
                # the mapped library outlives the folder it came from
            return self._dll


_lib = _Lazy()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        if not (A.dim() == B.dim() == 2 and A.shape == B.shape and A.shape[0] == A.shape[1]):
            raise ValueError("two square matrices of one size expected")
        a, b = A.float().contiguous(), B.float().contiguous()
        out = torch.empty(a.shape)
        n = a.shape[0]
        if n:
            p = ctypes.c_void_p
            _lib().triu_mm(p(a.data_ptr()), p(b.data_ptr()), p(out.data_ptr()), ctypes.c_long(n))
        return out.to(A.dtype)
