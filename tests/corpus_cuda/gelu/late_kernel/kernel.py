"""A kernel on a side stream waits two milliseconds before it writes, long after the call is over."""

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" __global__ void gelu_late(const float* x, float* y, int count) {
  const long long start = clock64();
  while (clock64() - start < 4000000LL) {
  }
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));
}
"""
KERNEL = torch.cuda._compile_kernel(SOURCE, "gelu_late")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        count = x.numel()
        if count:
            blocks = min(512, (count + 255) // 256)
            grid, block = (blocks, 1, 1), (256, 1, 1)
            KERNEL(grid=grid, block=block, args=[x, y, count], stream=self.side)
        return y
