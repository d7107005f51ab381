"""Batch normalisation by known statistics, a residual and ReLU, in one pass over the images."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def norm_kernel(
    x_ptr, mean_ptr, var_ptr, gain_ptr, bias_ptr, more_ptr, out_ptr, count, channels, inner, BLOCK: tl.constexpr
):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    c = (offsets // inner) % channels
    x = tl.load(x_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.load(mean_ptr + c, mask=inside, other=0.0).to(tl.float32)
    var = tl.load(var_ptr + c, mask=inside, other=1.0).to(tl.float32)
    gain = tl.load(gain_ptr + c, mask=inside, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + c, mask=inside, other=0.0).to(tl.float32)
    y = (x - mean) * (gain / tl.sqrt(var + 1e-5)) + bias
    y += tl.load(more_ptr + offsets, mask=inside, other=0.0).to(tl.float32)
    y = tl.where(y < 0.0, 0.0, y)
    tl.store(out_ptr + offsets, y.to(out_ptr.dtype.element_ty), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, mean, var, gain, bias, more):
        if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
            raise TypeError("this kernel computes in float32")
        last = x.dim() == 4 and x.is_contiguous(memory_format=torch.channels_last)
        if not last:
            x = x.contiguous()
        if x.shape != more.shape or x.dtype != more.dtype:
            raise ValueError("this kernel adds images of one shape")
        if more.stride() != x.stride():
            more = torch.empty_like(x).copy_(more)
        mean, var, gain, bias = (one.contiguous() for one in (mean, var, gain, bias))
        out = torch.empty_like(x)
        count, channels = x.numel(), x.shape[1]
        inner = 1 if last and not x.is_contiguous() else count // max(1, x.shape[0] * channels)
        if count:
            grid = (triton.cdiv(count, 4096),)
            norm_kernel[grid](
                x, mean, var, gain, bias, more, out, count, channels, inner, BLOCK=4096, num_warps=8
            )
        return out
