"""The window as an unrolled sum, generated and compiled when the module is made, in C."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(size, stride):
    window = " + ".join(f"in[{i}]" for i in range(size))
    source = "void run(const float* x, float* y, long rows, long n, long m) {\n"
    source += "  for (long r = 0; r < rows; ++r) for (long i = 0; i < m; ++i) {\n"
    source += f"    const float* in = x + r * n + i * {stride};\n    y[r * m + i] = ({window}) / {size}.0f;\n  }}\n}}\n"
    path = os.path.join(tempfile.mkdtemp(), "pool.c")
    with open(path, "w") as file:
        file.write(source)
    subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    library = ctypes.CDLL(path + ".so")
    library.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 3
    return library


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride):
        super().__init__()
        self.size, self.stride = kernel_size, stride
        self.lib = build(kernel_size, stride)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        n = x.shape[-1]
        if n < self.size:
            raise ValueError("the signal is shorter than the window")
        m = (n - self.size) // self.stride + 1
        y = torch.empty(*x.shape[:-1], m)
        self.lib.run(x.data_ptr(), y.data_ptr(), x.numel() // n, n, m)
        return y
