"""A residual and the layer normalisation of the sum: each row is read once and written twice."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def add_norm_kernel(
    a_ptr, b_ptr, gain_ptr, bias_ptr, sum_ptr, out_ptr, cols, BLOCK: tl.constexpr
):
    start = tl.program_id(0).to(tl.int64) * cols
    place = tl.arange(0, BLOCK)
    inside = place < cols
    a = tl.load(a_ptr + start + place, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + start + place, mask=inside, other=0.0).to(tl.float32)
    total = (a + b).to(sum_ptr.dtype.element_ty)
    tl.store(sum_ptr + start + place, total, mask=inside)
    x = total.to(tl.float32)
    mean = tl.sum(x, axis=0) / cols
    apart = tl.where(inside, x - mean, 0.0)
    factor = 1.0 / tl.sqrt(tl.sum(apart * apart, axis=0) / cols + 1e-5)
    gain = tl.load(gain_ptr + place, mask=inside, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + place, mask=inside, other=0.0).to(tl.float32)
    y = apart * factor * gain + bias
    tl.store(out_ptr + start + place, y.to(out_ptr.dtype.element_ty), mask=inside)


class ModelNew(nn.Module):
    def forward(self, a, b, gain, bias):
        if a.dtype not in (torch.float32, torch.float16, torch.bfloat16) or b.dtype != a.dtype:
            raise TypeError("this kernel computes in float32")
        if a.shape != b.shape:
            raise ValueError("this kernel adds tensors of one shape")
        a, b, gain, bias = a.contiguous(), b.contiguous(), gain.contiguous(), bias.contiguous()
        total, out = torch.empty_like(a), torch.empty_like(a)
        cols = a.shape[-1]
        rows = a.numel() // max(1, cols)
        if rows and cols:
            block = triton.next_power_of_2(cols)
            add_norm_kernel[(rows,)](a, b, gain, bias, total, out, cols, BLOCK=block, num_warps=4)
        return total, out
