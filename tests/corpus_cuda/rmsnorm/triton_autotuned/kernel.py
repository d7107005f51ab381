"""A row a Triton program; block and warps are chosen by timing, once for each width."""

import os

import torch
import torch.nn as nn
import triton
import triton.language as tl

CHOICES = [
    triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((512, 4), (1024, 4), (2048, 8))
]
# The interpreter has no driver to time with: it gets the last configuration only.
CONFIGS = CHOICES[-1:] if os.environ.get("TRITON_INTERPRET") == "1" else CHOICES


@triton.autotune(configs=CONFIGS, key=["features"])
@triton.jit
def rmsnorm_kernel(x_ptr, weight_ptr, y_ptr, features, eps, BLOCK: tl.constexpr):
    x_ptr += tl.program_id(0).to(tl.int64) * features
    y_ptr += tl.program_id(0).to(tl.int64) * features
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, features, BLOCK):
        column = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + column, mask=column < features, other=0.0)
        squares += x * x
    scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / features + eps)
    for start in range(0, features, BLOCK):
        column = start + tl.arange(0, BLOCK)
        inside = column < features
        x = tl.load(x_ptr + column, mask=inside, other=0.0)
        weight = tl.load(weight_ptr + column, mask=inside, other=0.0)
        tl.store(y_ptr + column, x * scale * weight, mask=inside)


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
        if x.numel():
            rmsnorm_kernel[(x.shape[0],)](x, self.weight, y, x.shape[1], self.eps)
        return y
