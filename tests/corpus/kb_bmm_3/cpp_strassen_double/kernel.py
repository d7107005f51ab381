"""One level of Strassen (7 products instead of 8) per batch entry, in double precision.

Strassen adds blocks before multiplying, so an Inf would turn into a NaN through Inf - Inf and the
row-wise error bound is weaker than that of the schoolbook method.  Hence: the scratch is double, and
matrices that hold a non-finite number go through the schoolbook path.  Odd sizes are zero padded.
"""
import ctypes
import functools
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cmath>
#include <cstring>
#include <vector>
typedef std::vector<double> Mat;

static bool finite(const float* p, long n) {
  for (long i = 0; i < n; ++i) if (!std::isfinite(p[i])) return false;
  return true;
}

static void school(const double* a, const double* b, double* c, long m, long k, long n) {
  std::memset(c, 0, sizeof(double) * m * n);
  for (long i = 0; i < m; ++i) for (long p = 0; p < k; ++p) {
    const double s = a[i * k + p]; const double* q = b + p * n; double* o = c + i * n;
    for (long j = 0; j < n; ++j) o[j] += s * q[j];
  }
}

static void lift(const float* x, long rows, long cols, long r0, long c0, long h, long w, Mat& out) {
  for (long i = 0; i < h; ++i) for (long j = 0; j < w; ++j)
    out[i * w + j] = (r0 + i < rows && c0 + j < cols) ? (double)x[(r0 + i) * cols + c0 + j] : 0.0;
}
static Mat add(const Mat& x, const Mat& y) { Mat z(x.size()); for (size_t i = 0; i < z.size(); ++i) z[i] = x[i] + y[i]; return z; }
static Mat sub(const Mat& x, const Mat& y) { Mat z(x.size()); for (size_t i = 0; i < z.size(); ++i) z[i] = x[i] - y[i]; return z; }

static void one(const float* A, const float* B, float* C, long M, long K, long N) {
  if (M < 2 || K < 2 || N < 2 || !finite(A, M * K) || !finite(B, K * N)) {
    for (long i = 0; i < M; ++i) for (long j = 0; j < N; ++j) {
      double s = 0; for (long k = 0; k < K; ++k) s += (double)A[i * K + k] * B[k * N + j];
      C[i * N + j] = (float)s;
    }
    return;
  }
  const long m = (M + 1) / 2, k = (K + 1) / 2, n = (N + 1) / 2;
  Mat a11(m * k), a12(m * k), a21(m * k), a22(m * k), b11(k * n), b12(k * n), b21(k * n), b22(k * n);
  lift(A, M, K, 0, 0, m, k, a11); lift(A, M, K, 0, k, m, k, a12); lift(A, M, K, m, 0, m, k, a21); lift(A, M, K, m, k, m, k, a22);
  lift(B, K, N, 0, 0, k, n, b11); lift(B, K, N, 0, n, k, n, b12); lift(B, K, N, k, 0, k, n, b21); lift(B, K, N, k, n, k, n, b22);
  auto mul = [&](const Mat& x, const Mat& y) { Mat z(m * n); school(x.data(), y.data(), z.data(), m, k, n); return z; };
  const Mat p1 = mul(add(a11, a22), add(b11, b22));
  const Mat p2 = mul(add(a21, a22), b11);
  const Mat p3 = mul(a11, sub(b12, b22));
  const Mat p4 = mul(a22, sub(b21, b11));
  const Mat p5 = mul(add(a11, a12), b22);
  const Mat p6 = mul(sub(a21, a11), add(b11, b12));
  const Mat p7 = mul(sub(a12, a22), add(b21, b22));
  for (long i = 0; i < m; ++i) for (long j = 0; j < n; ++j) {
    const long q = i * n + j;
    C[i * N + j] = (float)(p1[q] + p4[q] - p5[q] + p7[q]);
    if (n + j < N) C[i * N + n + j] = (float)(p3[q] + p5[q]);
    if (m + i < M) C[(m + i) * N + j] = (float)(p2[q] + p4[q]);
    if (m + i < M && n + j < N) C[(m + i) * N + n + j] = (float)(p1[q] - p2[q] + p3[q] + p6[q]);
  }
}

extern "C" void bmm_strassen(const float* A, const float* B, float* C, long batch, long M, long K, long N) {
  for (long b = 0; b < batch; ++b) one(A + b * M * K, B + b * K * N, C + b * M * N, M, K, N);
}
"""


@functools.lru_cache(maxsize=None)
def library():
    digest = hashlib.sha1(_SRC.encode("utf8")).hexdigest()[:12]
    root = os.path.join(tempfile.gettempdir(), "strassen_" + digest)
    os.makedirs(root, exist_ok=True)
    target = os.path.join(root, "strassen.so")
    if not os.path.exists(target):
        unit = os.path.join(root, f"u{os.getpid()}.cc")
        with open(unit, "w") as fh:
            fh.write(_SRC)
        subprocess.check_call(["g++", "-O3", "-shared", "-fPIC", "-o", unit + ".so", unit])
        os.rename(unit + ".so", target)
    return ctypes.CDLL(target)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        library()

    def forward(self, A, B):
        assert A.dim() == 3 and B.dim() == 3 and A.size(0) == B.size(0) and A.size(2) == B.size(1)
        assert A.dtype == torch.float32 and B.dtype == torch.float32
        b, m, k = A.shape
        n = B.shape[2]
        A = A.contiguous()
        B = B.contiguous()
        C = torch.empty((b, m, n), dtype=torch.float32)
        args = [ctypes.c_void_p(t.data_ptr()) for t in (A, B, C)] + [ctypes.c_long(v) for v in (b, m, k, n)]
        library().bmm_strassen(*args)
        return C
