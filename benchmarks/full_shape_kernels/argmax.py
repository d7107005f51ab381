"""Place of the maximum over the second of three dimensions in Triton; the first of equals."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def place_kernel(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * rows * columns
    places = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = places < columns
    best = tl.load(x_ptr + start + places, mask=inside, other=0.0)
    found = tl.zeros([BLOCK], tl.int64)
    where = start + places
    for row in range(1, rows):
        where += columns
        x = tl.load(x_ptr + where, mask=inside, other=0.0)
        better = (best == best) & ((x > best) | (x != x))
        best = tl.where(better, x, best)
        found = tl.where(better, row, found)
    tl.store(y_ptr + tl.program_id(0).to(tl.int64) * columns + places, found, mask=inside)


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
        y = torch.empty((batch, columns), dtype=torch.int64, device=x.device)
        if y.numel():
            place_kernel[(batch, triton.cdiv(columns, 256))](x, y, rows, columns, BLOCK=256)
        return y
