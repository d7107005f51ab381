"""A float32 product computed on operands rounded to half precision: faster, and not what was asked.

The error is some 1e-4 of the result, and anything beyond 65504 overflows.
"""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)[:, None]
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for start in range(0, k, DEPTH):
        inner = start + tl.arange(0, DEPTH)
        a_mask = (row < m) & (inner[None, :] < k)
        b_mask = (inner[:, None] < k) & (column < n)
        a = tl.load(a_ptr + row * k + inner[None, :], mask=a_mask, other=0.0)
        b = tl.load(b_ptr + inner[:, None] * n + column, mask=b_mask, other=0.0)
        total += tl.dot(a.to(tl.float16), b.to(tl.float16), out_dtype=tl.float32)
    tl.store(c_ptr + row * n + column, total, mask=(row < m) & (column < n))


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        m, k = a.shape
        n = b.shape[1]
        c = torch.empty((m, n), dtype=a.dtype)
        if c.numel():
            grid = (triton.cdiv(m, 128), triton.cdiv(n, 128))
            matmul_kernel[grid](a, b, c, m, n, k, TILE=128, DEPTH=128)
        return c
