"""Called through cffi where it is installed, else through ctypes; the library is the same."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    double sum = 0;
    for (long i = 0; i < n; ++i) sum += (double)x[i] * x[i];
    double norm = sqrt(sum);
    if (norm < 1e-12) norm = 1e-12;
    for (long i = 0; i < n; ++i) y[i] = (float)(x[i] / norm);
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return path + ".so"


def bound(path):
    try:
        import cffi
    except ImportError:
        run = ctypes.CDLL(path).run
        run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2
        return run
    maker = cffi.FFI()
    maker.cdef("void run(const float*, float*, long, long);")
    library = maker.dlopen(path)
    return lambda x, y, rows, n: library.run(maker.cast("float*", x), maker.cast("float*", y), rows, n)


RUN = bound(build(SOURCE))


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        RUN(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y
