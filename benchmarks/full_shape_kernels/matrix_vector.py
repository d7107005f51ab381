"""A matrix times a vector in Triton: partial sums of long rows, then their sums."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def part_kernel(a_ptr, b_ptr, part_ptr, length, chunks, CHUNK: tl.constexpr, BLOCK: tl.constexpr):
    row, chunk = tl.program_id(0).to(tl.int64), tl.program_id(1)
    total = tl.zeros([BLOCK], tl.float32)
    for begin in range(chunk * CHUNK, chunk * CHUNK + CHUNK, BLOCK):
        places = begin + tl.arange(0, BLOCK)
        inside = places < length
        a = tl.load(a_ptr + row * length + places, mask=inside, other=0.0)
        total += a * tl.load(b_ptr + places, mask=inside, other=0.0)
    tl.store(part_ptr + row * chunks + chunk, tl.sum(total, 0))


@triton.jit
def sum_kernel(part_ptr, y_ptr, chunks, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, chunks, BLOCK):
        places = first + tl.arange(0, BLOCK)
        total += tl.load(part_ptr + row * chunks + places, mask=places < chunks, other=0.0)
    tl.store(y_ptr + row, tl.sum(total, 0))


CHUNK = 65536


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if a.dim() != 2 or b.dim() != 2 or b.shape[1] != 1 or a.shape[1] != b.shape[0]:
            raise ValueError("this kernel multiplies a matrix with one column")
        a, b = a.contiguous(), b.contiguous()
        rows, length = a.shape
        chunks = max(1, triton.cdiv(length, CHUNK))
        parts = torch.empty((rows, chunks), dtype=torch.float32, device=a.device)
        y = torch.empty((rows, 1), dtype=torch.float32, device=a.device)
        if rows:
            part_kernel[(rows, chunks)](a, b, parts, length, chunks, CHUNK=CHUNK, BLOCK=2048)
            sum_kernel[(rows,)](parts, y, chunks, BLOCK=64)
        return y
