"""A matrix times a number in Triton: blocks of elements."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, y_ptr, factor, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0)
    tl.store(y_ptr + offsets, x * factor, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, factor):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        count = x.numel()
        if count:
            scale_kernel[(triton.cdiv(count, 4096),)](x, y, float(factor), count, BLOCK=4096)
        return y
