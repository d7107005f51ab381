"""Batch normalisation by known statistics, a residual and ReLU, in one pass over the images."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
extern "C" void norm(const float* x, const float* mean, const float* var, const float* gain,
                     const float* bias, const float* more, float* out, long images, long channels,
                     long area) {
#pragma omp parallel for schedule(static)
  for (long plane = 0; plane < images * channels; ++plane) {
    const long c = plane % channels, start = plane * area;
    const float middle = mean[c], shift = bias[c];
    const float scale = static_cast<float>(gain[c] / std::sqrt(var[c] + 1e-5));
#pragma omp simd
    for (long i = 0; i < area; ++i) {
      const float y = (x[start + i] - middle) * scale + shift + more[start + i];
      out[start + i] = y < 0.0f ? 0.0f : y;  // NaN stays NaN
    }
  }
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math"]
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.norm.argtypes = [ctypes.c_void_p] * 7 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, x, mean, var, gain, bias, more):
        if any(one.dtype != torch.float32 for one in (x, mean, var, gain, bias, more)):
            raise TypeError("this kernel computes in float32 only")
        x, mean, var = x.contiguous(), mean.contiguous(), var.contiguous()
        gain, bias = gain.contiguous(), bias.contiguous()
        if x.shape != more.shape:
            raise ValueError("this kernel adds images of one shape")
        more = more.contiguous()
        out = torch.empty_like(x)
        images, channels = x.shape[:2]
        area = x.numel() // max(1, images * channels)
        given = [one.data_ptr() for one in (x, mean, var, gain, bias, more, out)]
        LIB.norm(*given, images, channels, area)
        return out
