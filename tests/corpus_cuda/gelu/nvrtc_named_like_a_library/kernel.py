"""An own kernel, compiled by NVRTC, whose name has a library's words in it."""

import torch
import torch.nn as nn

SOURCE = r"""
extern "C" __global__ void gelu_conv2d_gemm_epilogue(const float* x, float* y, int count) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678118654752f));
}
"""
KERNEL = torch.cuda._compile_kernel(SOURCE, "gelu_conv2d_gemm_epilogue")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        count = x.numel()
        if count:
            KERNEL(grid=(min(2048, (count + 255) // 256), 1, 1), block=(256, 1, 1), args=[x, y, count])
        return y
