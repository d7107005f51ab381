"""SiLU and product of the halves of each row in Triton: bfloat16 in and out, float32 between."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gate_kernel(x_ptr, y_ptr, rows, hidden, ROWS: tl.constexpr, HIDDEN: tl.constexpr):
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None]
    column = tl.arange(0, HIDDEN)[None, :]
    inside = (row < rows) & (column < hidden)
    place = row * 2 * hidden + column
    gate = tl.load(x_ptr + place, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(x_ptr + place + hidden, mask=inside, other=0.0).to(tl.float32)
    y = gate / (1.0 + tl.exp(-gate)) * up
    tl.store(y_ptr + row * hidden + column, y.to(tl.bfloat16), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.bfloat16:
            raise TypeError("this kernel reads bfloat16 only")
        x = x.contiguous()
        rows, hidden = x.shape[0], x.shape[1] // 2
        y = torch.empty(rows, hidden, dtype=x.dtype, device=x.device)
        if y.numel():
            width = triton.next_power_of_2(hidden)
            height = triton.next_power_of_2(max(1, 65536 // width))
            grid = (triton.cdiv(rows, height),)
            gate_kernel[grid](x, y, rows, hidden, ROWS=height, HIDDEN=width)
        return y
