"""Layer norm in Triton: statistics of chunks, joined, then applied with gain and bias."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def partial_kernel(
    x_ptr, mean_ptr, square_ptr, length, chunks, CHUNK: tl.constexpr, BLOCK: tl.constexpr
):
    row, chunk = tl.program_id(0).to(tl.int64), tl.program_id(1)
    first = chunk * CHUNK
    count = 0.0
    mean = 0.0
    squares = 0.0
    for begin in range(first, first + CHUNK, BLOCK):
        places = begin + tl.arange(0, BLOCK)
        inside = places < length
        x = tl.load(x_ptr + row * length + places, mask=inside, other=0.0)
        new = tl.sum(inside.to(tl.float32), 0)
        some = tl.maximum(new, 1.0)
        part = tl.sum(x, 0) / some
        away = tl.where(inside, x - part, 0.0)
        step = part - mean
        both = count + new
        weight = tl.where(both > 0.0, new / tl.maximum(both, 1.0), 0.0)
        squares += tl.sum(away * away, 0) + tl.where(new > 0.0, step * step * count * weight, 0.0)
        mean += tl.where(new > 0.0, step * weight, 0.0)
        count = both
    tl.store(mean_ptr + row * chunks + chunk, mean)
    tl.store(square_ptr + row * chunks + chunk, squares)


@triton.jit
def join_kernel(
    mean_ptr, square_ptr, row_mean_ptr, row_scale_ptr, length, chunks, eps, CHUNK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    count = 0.0
    mean = 0.0
    squares = 0.0
    for chunk in range(chunks):
        new = tl.minimum(length - chunk * CHUNK, CHUNK).to(tl.float32)
        step = tl.load(mean_ptr + row * chunks + chunk) - mean
        both = count + new
        squares += tl.load(square_ptr + row * chunks + chunk) + step * step * count * (new / both)
        mean += step * (new / both)
        count = both
    tl.store(row_mean_ptr + row, mean)
    tl.store(row_scale_ptr + row, 1.0 / tl.sqrt(squares / length + eps))


@triton.jit
def apply_kernel(
    x_ptr,
    y_ptr,
    mean_ptr,
    scale_ptr,
    gain_ptr,
    bias_ptr,
    length,
    rows,
    CHUNK: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row, chunk = tl.program_id(0).to(tl.int64), tl.program_id(1)
    mean, scale = tl.load(mean_ptr + row), tl.load(scale_ptr + row)
    for begin in range(chunk * CHUNK, chunk * CHUNK + CHUNK, BLOCK):
        places = begin + tl.arange(0, BLOCK)
        inside = places < length
        x = tl.load(x_ptr + row * length + places, mask=inside, other=0.0)
        entry = places
        gain = tl.load(gain_ptr + entry, mask=inside, other=0.0)
        bias = tl.load(bias_ptr + entry, mask=inside, other=0.0)
        tl.store(y_ptr + row * length + places, (x - mean) * scale * gain + bias, mask=inside)


CHUNK = 16384


def statistics(x, rows, length, eps):
    """Mean and one over the deviation of every row of `length` elements."""
    chunks = triton.cdiv(length, CHUNK)
    partial = torch.empty((2, rows, chunks), dtype=torch.float32, device=x.device)
    found = torch.empty((2, rows), dtype=torch.float32, device=x.device)
    partial_kernel[(rows, chunks)](
        x, partial[0], partial[1], length, chunks, CHUNK=CHUNK, BLOCK=4096
    )
    join_kernel[(rows,)](
        partial[0], partial[1], found[0], found[1], length, chunks, eps, CHUNK=CHUNK
    )
    return found, chunks


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape=normalized_shape)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            length = self.ln.weight.numel()
            rows = x.numel() // length
            found, chunks = statistics(x, rows, length, self.ln.eps)
            given = (found[0], found[1], self.ln.weight, self.ln.bias)
            apply_kernel[(rows, chunks)](x, y, *given, length, rows, CHUNK=CHUNK, BLOCK=4096)
        return y
