"""Hard sigmoid in Triton: one block for each program instance; NaN passes both bounds."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def hardsigmoid_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    y = tl.load(x_ptr + offsets, mask=inside, other=0.0) + 3.0
    y = tl.where(y < 0.0, 0.0, y)
    y = tl.where(y > 6.0, 6.0, y)
    tl.store(y_ptr + offsets, y / 6.0, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        count = x.numel()
        if count:
            hardsigmoid_kernel[(triton.cdiv(count, 32768),)](x, y, count, BLOCK=32768)
        return y
