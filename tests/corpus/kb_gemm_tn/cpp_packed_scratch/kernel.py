import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <vector>
#include <algorithm>
extern "C" {
// C[m,n] = sum_k A[k,m] * B[k,n]; every stride is taken from the caller.
void gemm_tn(const float* A, long ak, long am, const float* B, long bk, long bn, float* C, long M, long N, long K) {
  thread_local std::vector<float> panel;           // scratch, rewritten on every call
  const long NB = 64;
  std::fill(C, C + M * N, 0.f);
  for (long n0 = 0; n0 < N; n0 += NB) {
    long nb = std::min(NB, N - n0);
    panel.resize(K * nb);
    for (long k = 0; k < K; ++k) for (long j = 0; j < nb; ++j) panel[k * nb + j] = B[k * bk + (n0 + j) * bn];
    for (long m = 0; m < M; ++m) {
      float acc[NB];
      for (long j = 0; j < nb; ++j) acc[j] = 0.f;
      for (long k = 0; k < K; ++k) {
        const float a = A[k * ak + m * am];
        const float* p = panel.data() + k * nb;
        for (long j = 0; j < nb; ++j) acc[j] += a * p[j];
      }
      for (long j = 0; j < nb; ++j) C[m * N + n0 + j] = acc[j];
    }
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
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        if A.dtype != torch.float32 or B.dtype != torch.float32:
            raise TypeError("float32 only")
        K, M = A.shape
        if B.shape[0] != K:
            raise ValueError("inner dimensions differ")
        N = B.shape[1]
        C = torch.empty((M, N), dtype=torch.float32)
        _lib.gemm_tn(_p(A), _L(A.stride(0)), _L(A.stride(1)), _p(B), _L(B.stride(0)), _L(B.stride(1)), _p(C), _L(M), _L(N), _L(K))
        return C
