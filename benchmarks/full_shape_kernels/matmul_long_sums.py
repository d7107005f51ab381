"""A product of long rows and columns in Triton: the sum is split, and its parts are added."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def part_kernel(
    a_ptr, b_ptr, part_ptr, m, n, k, CHUNK: tl.constexpr, BLOCK: tl.constexpr, STEP: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    part = tl.program_id(2)
    steps = tl.arange(0, STEP)
    above, left = rows < m, columns < n
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for begin in range(part * CHUNK, part * CHUNK + CHUNK, STEP):
        terms = begin + steps
        inside = terms < k
        a = tl.load(
            a_ptr + rows[:, None].to(tl.int64) * k + terms[None, :],
            mask=above[:, None] & inside[None, :],
            other=0.0,
        )
        b = tl.load(
            b_ptr + terms[:, None].to(tl.int64) * n + columns[None, :],
            mask=inside[:, None] & left[None, :],
            other=0.0,
        )
        total += tl.dot(a, b, input_precision="ieee")
    where = part.to(tl.int64) * m * n + rows[:, None].to(tl.int64) * n + columns[None, :]
    tl.store(part_ptr + where, total, mask=above[:, None] & left[None, :])


@triton.jit
def sum_kernel(part_ptr, y_ptr, count, parts, BLOCK: tl.constexpr):
    places = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = places < count
    total = tl.zeros([BLOCK], tl.float32)
    where = places
    for _ in range(parts):
        total += tl.load(part_ptr + where, mask=inside, other=0.0)
        where += count
    tl.store(y_ptr + places, total, mask=inside)


CHUNK = 8192


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or a.shape[1] != b.shape[0]:
            raise ValueError("this kernel multiplies two matrices")
        a, b = a.contiguous(), b.contiguous()
        (m, k), n = a.shape, b.shape[1]
        parts = max(1, triton.cdiv(k, CHUNK))
        kept = torch.empty((parts, m, n), dtype=torch.float32, device=a.device)
        y = torch.empty((m, n), dtype=torch.float32, device=a.device)
        if y.numel():
            grid = (triton.cdiv(m, 64), triton.cdiv(n, 64), parts)
            part_kernel[grid](a, b, kept, m, n, k, CHUNK=CHUNK, BLOCK=64, STEP=32)
            sum_kernel[(triton.cdiv(m * n, 1024),)](kept, y, m * n, parts, BLOCK=1024)
        return y
