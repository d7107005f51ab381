"""A Triton kernel that tries two column blocks per shape and keeps the faster one's number."""

import time

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rmsnorm_kernel(x_ptr, w_ptr, y_ptr, rows, columns, eps, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(0) * R + tl.arange(0, R)[:, None]
    squares = tl.zeros((R,), dtype=tl.float32)
    for start in range(0, columns, C):
        column = start + tl.arange(0, C)[None, :]
        mask = (row < rows) & (column < columns)
        x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0)
        squares += tl.sum(x * x, axis=1)
    scale = 1.0 / tl.sqrt(squares / columns + eps)
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
        self.block_of = {}

    def launch(self, x, y, block):
        rows, columns = x.shape
        weight = self.weight.detach()
        grid = (triton.cdiv(rows, 64),)
        rmsnorm_kernel[grid](x, weight, y, rows, columns, self.eps, R=64, C=block)

    def seconds(self, x, y, block):
        start = time.perf_counter()
        self.launch(x, y, block)
        return time.perf_counter() - start

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            if x.shape not in self.block_of:
                trials = {block: self.seconds(x, y, block) for block in (512, 1024)}
                self.block_of[x.shape] = min(trials, key=trials.get)
            self.launch(x, y, self.block_of[x.shape])
        return y
