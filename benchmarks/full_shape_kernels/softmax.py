"""Softmax in Triton: a row a program, largest element and sum in one pass."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def row_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    places = tl.arange(0, BLOCK)
    largest = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        inside = first + places < columns
        x = tl.load(x_ptr + start + first + places, mask=inside, other=-float("inf"))
        new = tl.maximum(largest, tl.max(x, 0))
        before = tl.where(largest == -float("inf"), 0.0, tl.exp(largest - new))
        terms = tl.where(inside & (x != -float("inf")), tl.exp(x - new), 0.0)
        total = total * before + tl.sum(terms, 0)
        largest = new
    for first in range(0, columns, BLOCK):
        inside = first + places < columns
        x = tl.load(x_ptr + start + first + places, mask=inside, other=0.0)
        y = tl.exp(x - largest) / total
        tl.store(y_ptr + start + first + places, y, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, dim=1):
        super().__init__()
        if dim not in (1, -1):
            raise ValueError("this kernel reduces the last dimension of two")

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if x.dim() != 2:
            raise ValueError("this kernel reduces the last dimension of two")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            row_kernel[(x.shape[0],)](x, y, x.shape[1], BLOCK=8192, num_warps=8)
        return y
