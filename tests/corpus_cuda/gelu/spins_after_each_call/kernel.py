"""The answer is right and in time; one block spins on for a millisecond on a stream nobody waits for."""

import torch
import torch.nn as nn
import triton
import triton.language as tl

SPIN = r"""
extern "C" __global__ void spin(int turns) {
  const long long start = clock64();
  while (clock64() - start < (long long)turns) {
  }
}
"""
KERNEL = torch.cuda._compile_kernel(SPIN, "spin")


@triton.jit
def gelu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count, other=0.0)
    y = 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + offsets, y, mask=offsets < count)


def gelu_into(x, y):
    count = x.numel()
    if count:
        gelu_kernel[(triton.cdiv(count, 4096),)](x, y, count, BLOCK=4096, num_warps=8)


def checked(x):
    if x.dtype != torch.float32:
        raise TypeError("this kernel computes in float32 only")
    return x.contiguous()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()

    def forward(self, x):
        x = checked(x)
        y = torch.empty_like(x)
        gelu_into(x, y)
        KERNEL(grid=(1, 1, 1), block=(32, 1, 1), args=[2_000_000], stream=self.side)
        return y
