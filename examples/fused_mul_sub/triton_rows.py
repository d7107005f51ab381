"""x y - z / 2 in Triton: one tile of rows and columns for each program instance."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def mul_sub_kernel(
    x_ptr, y_ptr, z_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    column = (tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    inside = (row < rows) & (column < columns)
    place = row * columns + column
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    y = tl.load(y_ptr + place, mask=inside, other=0.0)
    z = tl.load(z_ptr + column, mask=column < columns, other=0.0)
    tl.store(out_ptr + place, x * y - 0.5 * z, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x, y, z):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x, y, z = x.contiguous(), y.contiguous(), z.contiguous()
        out = torch.empty_like(x)
        if x.numel():
            rows, columns = x.shape
            grid = (triton.cdiv(rows, 128), triton.cdiv(columns, 512))
            mul_sub_kernel[grid](x, y, z, out, rows, columns, ROWS=128, COLUMNS=512)
        return out
