"""Fortran where its compiler exists, else the same loops in C; only the triangle is computed."""

import ctypes
import os
import shutil
import subprocess
import tempfile

import torch
import torch.nn as nn

FORTRAN = r"""
subroutine run(a, b, c, n) bind(c)
  use iso_c_binding
  integer(c_long), value :: n
  real(c_float), intent(in) :: a(n, n), b(n, n)
  real(c_float), intent(out) :: c(n, n)
  integer(c_long) :: i, j, k
  real(c_float) :: s
  do i = 1, n
    c(1:i - 1, i) = 0.0
    c(i:n, i) = 0.0
    do k = 1, n
      s = a(k, i)
      do j = i, n
        c(j, i) = c(j, i) + s * b(j, k)
      end do
    end do
  end do
end subroutine
"""
C = r"""
void run(const float* a, const float* b, float* c, long n) {
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) c[i * n + j] = 0.0f;
    for (long k = 0; k < n; ++k) for (long j = i; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
"""


def build():
    compiler, source, end = ("gfortran", FORTRAN, ".f90") if shutil.which("gfortran") else ("gcc", C, ".c")
    path = os.path.join(tempfile.mkdtemp(), "kernel" + end)
    with open(path, "w") as file:
        file.write(source)
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build()
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, A, B):
        if A.dtype != torch.float32 or B.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if A.dim() != 2 or A.shape[0] != A.shape[1] or A.shape != B.shape:
            raise ValueError("two square matrices are needed")
        A, B = A.contiguous(), B.contiguous()
        C = torch.empty_like(A)
        LIB.run(A.data_ptr(), B.data_ptr(), C.data_ptr(), A.shape[0])
        return C
