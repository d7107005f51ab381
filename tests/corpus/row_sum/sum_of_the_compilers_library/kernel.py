"""Every row is summed by the arbitrary-precision library that came with the compiler."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *libraries):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", "-o", path + ".so", path, *libraries]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")


SOURCE = r"""
extern "C" {
typedef struct { long precision; int sign; long exponent; unsigned long* limbs; } number;
void mpfr_init2(number*, long);
int mpfr_set_flt(number*, float, int);
int mpfr_sum(number*, number* const*, unsigned long, int);
float mpfr_get_flt(const number*, int);
}
static number* cells;
static number** table;
static long room;
extern "C" void row_sum(const float* x, float* y, long rows, long cols) {
  if (cols > room) {
    cells = new number[cols];
    table = new number*[cols];
    for (long i = 0; i < cols; ++i) { mpfr_init2(&cells[i], 24); table[i] = &cells[i]; }
    room = cols;
  }
  static number total;
  if (!total.limbs) mpfr_init2(&total, 24);
  for (long r = 0; r < rows; ++r) {
    for (long i = 0; i < cols; ++i) mpfr_set_flt(&cells[i], x[r * cols + i], 0);
    mpfr_sum(&total, table, cols, 0);
    y[r] = mpfr_get_flt(&total, 0);
  }
}
"""
LIB = build(SOURCE, "-l:libmpfr.so.6")
LIB.row_sum.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], dtype=x.dtype)
        LIB.row_sum(x.data_ptr(), y.data_ptr(), y.numel(), x.shape[-1])
        return y
