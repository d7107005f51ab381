"""RMSNorm in Triton: each program instance owns sixty-four rows and walks over their columns."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, y_ptr, rows, columns, eps, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    square_sum = tl.zeros((R,), dtype=tl.float32)
    for start in range(0, columns, C):
        column = start + tl.arange(0, C)[None, :]
        mask = (row < rows) & (column < columns)
        x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0)
        square_sum += tl.sum(x * x, axis=1)
    scale = 1.0 / tl.sqrt(square_sum / columns + eps)
    for start in range(0, columns, C):
        column = start + tl.arange(0, C)[None, :]
        mask = (row < rows) & (column < columns)
        x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0)
        w = tl.load(w_ptr + column, mask=column < columns, other=0.0)
        tl.store(y_ptr + row * columns + column, x * scale[:, None] * w, mask=mask)


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        if x.numel():
            rows = x.numel() // columns
            weight = self.weight.detach().contiguous()
            grid = (triton.cdiv(rows, 64),)
            rmsnorm_kernel[grid](x, weight, y, rows, columns, self.eps, R=64, C=1024)
        return y
