import torch
import triton

from .kernels import gelu_kernel

BLOCK = 1024


def gelu_rows(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    n = x.numel()
    if n > 0:
        gelu_kernel[(triton.cdiv(n, BLOCK),)](x, y, n, BLOCK=BLOCK)
    return y
