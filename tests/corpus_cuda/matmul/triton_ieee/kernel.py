"""64 by 64 tiles with tl.dot in full float32, strides and all."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, m, n, k, a_row, a_column, b_row, b_column, TILE: tl.constexpr, DEPTH: tl.constexpr
):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, k, DEPTH):
        inner = start + tl.arange(0, DEPTH)
        a_mask = (row < m) & (inner[None, :] < k)
        b_mask = (inner[:, None] < k) & (column < n)
        a = tl.load(a_ptr + row * a_row + inner[None, :] * a_column, mask=a_mask, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * b_row + column * b_column, mask=b_mask, other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + row * n + column, total, mask=(row < m) & (column < n))


def matmul_into(a, b, c):
    m, k = a.shape
    n = b.shape[1]
    if c.numel():
        grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
        matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), TILE=64, DEPTH=64)


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        c = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype, device=a.device)
        matmul_into(a, b, c)
        return c
