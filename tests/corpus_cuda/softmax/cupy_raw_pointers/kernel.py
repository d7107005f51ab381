"""A CuPy RawKernel that is given addresses, on the stream that torch uses."""

import cupy
import numpy
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
"""
KERNEL = cupy.RawKernel(SOURCE, "softmax_rows")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            rows, columns = x.shape
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                KERNEL((rows,), (256,), (x.data_ptr(), y.data_ptr(), numpy.int64(columns)))
        return y
