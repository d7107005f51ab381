"""CUDA C++ compiled by nvcc into a shared object, called through ctypes on the current stream."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
__device__ float across_block(float value, bool largest) {
  __shared__ float part[32];
  for (int step = 16; step > 0; step >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = largest ? fmaxf(value, other) : value + other;
  }
  __syncthreads();  // part may still be read from the last time
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[0];
  for (int warp = 1; warp < blockDim.x / 32; ++warp)
    value = largest ? fmaxf(value, part[warp]) : value + part[warp];
  return value;
}

extern "C" __global__ void softmax_rows(const float* x, float* y, long long columns) {
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  float top = __int_as_float(0xff800000);
  for (long long i = threadIdx.x; i < columns; i += blockDim.x) top = fmaxf(top, x[i]);
  top = across_block(top, true);
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(x[i] - top);
  sum = across_block(sum, false);
  for (long long i = threadIdx.x; i < columns; i += blockDim.x) y[i] = expf(x[i] - top) / sum;
}

extern "C" int launch(const float* x, float* y, long long rows, long long columns, void* stream) {
  softmax_rows<<<rows, 256, 0, static_cast<cudaStream_t>(stream)>>>(x, y, columns);
  return static_cast<int>(cudaGetLastError());
}
"""


def build(source):
    """A shared object for the device at hand."""
    path = os.path.join(tempfile.mkdtemp(), "kernel.cu")
    with open(path, "w") as file:
        file.write(source)
    major, minor = torch.cuda.get_device_capability()
    arch = f"-arch=sm_{major}{minor}"
    command = ["nvcc", "-O3", arch, "-shared", "-Xcompiler", "-fPIC", "-o", path + ".so", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.launch.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_longlong] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            stream = torch.cuda.current_stream().cuda_stream
            code = LIB.launch(x.data_ptr(), y.data_ptr(), *x.shape, stream)
            if code:
                raise RuntimeError(f"launch failed with CUDA error {code}")
        return y
