"""Copies the chosen rows one by one."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cstdint>
#include <cstring>
extern "C" void rows(const float* x, const int64_t* index, float* y, long picks, long columns) {
  for (long i = 0; i < picks; ++i)
    std::memcpy(y + i * columns, x + index[i] * columns, 4 * columns);
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
LIB.rows.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, x, index):
        if x.dtype != torch.float32 or index.dtype != torch.int64:
            raise TypeError("this kernel picks rows of float32 by int64 only")
        x, index = x.contiguous(), index.contiguous()
        y = torch.empty(len(index), x.shape[1])
        LIB.rows(x.data_ptr(), index.data_ptr(), y.data_ptr(), len(index), x.shape[1])
        return y
