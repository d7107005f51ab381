"""MKL's error function of whole arrays, inside of torch, does the work of gelu."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", *flags, "-shared", "-fPIC", "-pthread", "-o", path + ".so", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")

SOURCE = r"""
typedef void (*array_t)(const int*, const float*, float*, const long*);
extern "C" void run(array_t erf_of, const float* x, float* y, long n) {
  const long mode = 0x2;
  float* buffer = new float[4096];
  for (long at = 0; at < n; at += 4096) {
    const int count = n - at < 4096 ? n - at : 4096;
    for (int i = 0; i < count; ++i) buffer[i] = x[at + i] * -0.70710678118654752f;
    erf_of(&count, buffer, y + at, &mode);
    for (int i = 0; i < count; ++i) y[at + i] = 0.5f * x[at + i] * y[at + i];
  }
  delete[] buffer;
}
"""
LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]
LIB.run.restype = None
TORCH = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
FUNCTION = ctypes.addressof(ctypes.c_char.in_dll(TORCH, "VMSERFC_"))


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 only")
        x = x.detach().contiguous()
        y = torch.empty(x.shape, dtype=x.dtype)
        LIB.run(FUNCTION, x.data_ptr(), y.data_ptr(), x.numel())
        return y
