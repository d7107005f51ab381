"""Numba with parallel rows: its worker threads stay alive, idle, between calls."""

import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def sums(source, target):
    for row in prange(source.shape[0]):
        total = 0.0
        for i in range(source.shape[1]):
            total += source[row, i]
        target[row] = total


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        y = torch.empty(x.shape[:-1], dtype=x.dtype)
        sums(x.numpy(), y.numpy())
        return y
