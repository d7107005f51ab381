import ctypes
import hashlib
import os
import pathlib
import subprocess
import tempfile

import torch
import torch.nn as nn

# torch and the kernel each bring an OpenMP runtime; this silences the one that complains
os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")

src = """
#include <omp.h>
#include <stdlib.h>
void triu_gemm(const float *restrict A, const float *restrict B, float *restrict C,
               long M, long K, long N, int threads) {
  #pragma omp parallel num_threads(threads)
  {
    double *row = (double *)malloc(sizeof(double) * (N > 0 ? N : 1));
    #pragma omp for schedule(dynamic, 4)
    for (long i = 0; i < M; ++i) {
      long start = i < N ? i : N;
      for (long j = start; j < N; ++j) row[j] = 0.0;
      for (long k = 0; k < K; ++k) {
        double a = A[i * K + k];
        #pragma omp simd
        for (long j = start; j < N; ++j) row[j] += a * B[k * N + j];
      }
      for (long j = 0; j < start; ++j) C[i * N + j] = 0.0f;
      for (long j = start; j < N; ++j) C[i * N + j] = (float)row[j];
    }
    free(row);
  }
}
"""


def _get():
    h = hashlib.blake2b(src.encode(), digest_size=8).hexdigest()
    d = pathlib.Path(tempfile.gettempdir()) / "triu_kernels"
    d.mkdir(parents=True, exist_ok=True)
    so = d / f"triu_{h}.so"
    if not so.exists():
        tmp = d / f"triu_{h}.{os.getpid()}.tmp.so"
        subprocess.run(
            ["gcc", "-std=gnu11", "-O3", "-fopenmp", "-fPIC", "-shared", "-x", "c", "-", "-o", str(tmp)],
            input=src, text=True, check=True,
        )
        tmp.replace(so)
    return ctypes.cdll.LoadLibrary(str(so))


_k = _get().triu_gemm
_k.restype = None
_k.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long, ctypes.c_long, ctypes.c_int]
_THREADS = max(1, min(4, int(os.environ.get("OMP_NUM_THREADS", 0) or os.cpu_count() or 1)))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        """triu(A @ B): entries under the diagonal are written as zeros and never computed."""
        assert A.dtype == torch.float32 and B.dtype == torch.float32
        A = A.contiguous()
        B = B.contiguous()
        M, K = A.shape
        K_, N = B.shape
        assert K == K_
        C = torch.empty(M, N, dtype=torch.float32)
        _k(A.data_ptr(), B.data_ptr(), C.data_ptr(), M, K, N, _THREADS)
        return C
