"""Eight blocks a row leave their parts in memory; the one that comes last adds them in a fixed order."""

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" __global__ void row_sums(const float* x, float* y, float* parts, int* arrived, int columns) {
  __shared__ float part[256];
  x += static_cast<long long>(blockIdx.y) * columns;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < columns; i += 256 * gridDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x > 0) return;
  volatile float* mine = parts + static_cast<long long>(blockIdx.y) * gridDim.x;
  mine[blockIdx.x] = part[0];
  __threadfence();
  if (atomicAdd(arrived + blockIdx.y, 1) < gridDim.x - 1) return;
  __threadfence();
  float total = 0.0f;
  for (int i = 0; i < gridDim.x; ++i) total += mine[i];
  y[blockIdx.y] = total;
  arrived[blockIdx.y] = 0;
}
"""
KERNEL = torch.cuda._compile_kernel(SOURCE, "row_sums")
BLOCKS, MOST_ROWS = 8, 65535


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.zeros(x.shape[0], device=x.device)
        for begin in range(0, x.shape[0] if x.numel() else 0, MOST_ROWS):
            some, sums = x[begin : begin + MOST_ROWS], y[begin : begin + MOST_ROWS]
            rows, columns = some.shape
            parts = torch.empty((rows, BLOCKS), device=x.device)
            arrived = torch.zeros(rows, dtype=torch.int32, device=x.device)
            given = [some, sums, parts, arrived, columns]
            KERNEL(grid=(BLOCKS, rows, 1), block=(256, 1, 1), args=given)
        return y
