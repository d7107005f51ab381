"""Triton around an instruction of PTX: the last product is written by hand."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < count, other=0.0)
    cdf = 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))
    y = tl.inline_asm_elementwise(
        asm="mul.rn.f32 $0, $1, $2;",
        constraints="=f,f,f",
        args=[x, cdf],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )
    tl.store(y_ptr + offsets, y, mask=offsets < count)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        count = x.numel()
        if count:
            gelu_kernel[(triton.cdiv(count, 2048),)](x, y, count, BLOCK=2048, num_warps=8)
        return y
