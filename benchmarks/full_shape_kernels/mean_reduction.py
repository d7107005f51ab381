"""Mean over the second of three dimensions in Triton: a block of columns a program."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def column_kernel(x_ptr, y_ptr, rows, columns, TILE: tl.constexpr, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * rows * columns
    places = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = places < columns
    lines = tl.arange(0, TILE)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, rows, TILE):
        below = first + lines < rows
        where = start + (first + lines)[:, None].to(tl.int64) * columns + places[None, :]
        x = tl.load(x_ptr + where, mask=below[:, None] & inside[None, :], other=0.0)
        total += tl.sum(x, 0)
    y = total / rows
    tl.store(y_ptr + tl.program_id(0).to(tl.int64) * columns + places, y, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        if dim != 1:
            raise ValueError("this kernel reduces the second dimension of three")

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if x.dim() != 3:
            raise ValueError("this kernel reduces the second dimension of three")
        x = x.contiguous()
        batch, rows, columns = x.shape
        y = torch.empty((batch, columns), dtype=torch.float32, device=x.device)
        if y.numel():
            grid = (batch, triton.cdiv(columns, 128))
            column_kernel[grid](x, y, rows, columns, TILE=32, BLOCK=128)
        return y
