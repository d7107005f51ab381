"""A CuPy RawKernel on arrays that share torch's memory by DLPack."""

import cupy
import numpy
import torch
import torch.nn as nn

SOURCE = r"""
extern "C" __global__ void row_sums(const float* x, float* y, long long columns) {
  __shared__ float part[256];
  x += blockIdx.x * columns;
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
"""
KERNEL = cupy.RawKernel(SOURCE, "row_sums")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        if x.numel():
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                given, answer = cupy.from_dlpack(x.detach()), cupy.from_dlpack(y)
                KERNEL((x.shape[0],), (256,), (given, answer, numpy.int64(x.shape[1])))
        return y
