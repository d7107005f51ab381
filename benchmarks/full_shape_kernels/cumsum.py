"""Running sums of rows in Triton: a row a program, block after block."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def scan_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    places = tl.arange(0, BLOCK)
    carried = 0.0
    for first in range(0, columns, BLOCK):
        inside = first + places < columns
        x = tl.load(x_ptr + start + first + places, mask=inside, other=0.0)
        tl.store(y_ptr + start + first + places, carried + tl.cumsum(x, 0), mask=inside)
        carried += tl.sum(x, 0)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        if dim != 1:
            raise ValueError("this kernel adds along the second of two dimensions")

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if x.dim() != 2:
            raise ValueError("this kernel adds along the second of two dimensions")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            scan_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=4096, num_warps=8)
        return y
