"""A reduction in shared memory without a barrier: the first warp adds what the others have not written."""

import torch
import torch.nn as nn

SOURCE = r"""
__device__ float across_warp(float value) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

extern "C" __global__ void row_sums(const float* x, float* y, int columns) {
  __shared__ float part[32];
  x += static_cast<long long>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i];
  sum = across_warp(sum);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  if (threadIdx.x < 32) {
    sum = across_warp(part[threadIdx.x]);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}
"""
KERNEL = torch.cuda._compile_kernel(SOURCE, "row_sums")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        if x.numel():
            KERNEL(grid=(x.shape[0], 1, 1), block=(1024, 1, 1), args=[x, y, x.shape[1]])
        return y
