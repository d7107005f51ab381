"""Source made with string.Template for the constructor's kernel size and dilation."""

import ctypes
import os
import string
import subprocess
import tempfile

import torch
import torch.nn as nn

TEMPLATE = string.Template(r"""
enum { K = $size, D = $dilation, P = $padding };
void run(const float* x, const float* w, const float* b, float* y, long N, long C, long L, long O, long M) {
  for (long n = 0; n < N; ++n) for (long o = 0; o < O; ++o) {
    float* out = y + (n * O + o) * M;
    for (long i = 0; i < M; ++i) out[i] = b[o];
    for (long c = 0; c < C; ++c) for (int k = 0; k < K; ++k) {
      const float s = w[(o * C + c) * K + k];
      const long shift = (long)k * D - P;
      const long first = shift < 0 ? -shift : 0, last = L - shift < M ? L - shift : M;
      for (long i = first; i < last; ++i) out[i] += s * x[(n * C + c) * L + i + shift];
    }
  }
}
""")


def build(size, dilation, padding):
    path = os.path.join(tempfile.mkdtemp(), "conv.c")
    with open(path, "w") as file:
        file.write(TEMPLATE.substitute(size=size, dilation=dilation, padding=padding))
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, dilation):
        super().__init__()
        self.padding = dilation * (kernel_size // 2)
        self.span = dilation * (kernel_size - 1)
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, dilation=dilation, padding=self.padding)
        self.lib = build(kernel_size, dilation, self.padding)
        self.lib.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 5

    def forward(self, x):
        w = self.conv.weight
        if x.dtype != torch.float32 or x.dim() != 3 or x.shape[1] != w.shape[1]:
            raise TypeError("this kernel takes float32 signals with its channels")
        x = x.contiguous()
        length = x.shape[2] + 2 * self.padding - self.span
        if length < 1:
            raise ValueError("the signal is too short")
        y = torch.empty(x.shape[0], w.shape[0], length)
        self.lib.run(x.data_ptr(), w.data_ptr(), self.conv.bias.data_ptr(), y.data_ptr(), *x.shape, w.shape[0], length)
        return y
