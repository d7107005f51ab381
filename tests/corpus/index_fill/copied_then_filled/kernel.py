"""The library copies the input, and the kernel fills columns of the copy."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
extern "C" void fill(float* y, const int64_t* index, long rows, long columns, long picks) {
  for (long row = 0; row < rows; ++row)
    for (long i = 0; i < picks; ++i) y[row * columns + index[i]] = -1.0f;
}
"""


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", "-march=native", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", path + ".so", path, "-ldl"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.fill.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, x, index):
        if x.dtype != torch.float32 or index.dtype != torch.int64:
            raise TypeError("this kernel fills columns of float32 by int64 only")
        y = x.clone(memory_format=torch.contiguous_format)
        index = index.contiguous()
        LIB.fill(y.data_ptr(), index.data_ptr(), *y.shape, len(index))
        return y
