"""A Triton kernel that owns a block of whole rows."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, COLUMNS)[None, :]
    inside = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(y_ptr + row * columns + column, e / tl.sum(e, axis=1)[:, None], mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            rows, columns = x.shape
            width = triton.next_power_of_2(columns)
            height = max(1, 131072 // width)
            grid = (triton.cdiv(rows, height),)
            softmax_kernel[grid](x, y, rows, columns, ROWS=height, COLUMNS=width)
        return y
