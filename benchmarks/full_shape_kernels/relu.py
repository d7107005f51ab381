"""ReLU in Triton: blocks of elements; a NaN stays one."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def elementwise_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    y = tl.where(x < 0.0, 0.0, x)
    tl.store(y_ptr + offsets, y, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        count = x.numel()
        if count:
            elementwise_kernel[(triton.cdiv(count, 4096),)](x, y, count, BLOCK=4096)
        return y
