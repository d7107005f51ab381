"""A Numba reduction over threads with prange, then a scaled copy."""

import math

import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def squares(x):
    total = 0.0
    for i in prange(x.size):
        total += float(x[i]) * float(x[i])
    return total


@njit
def scaled(x, y, norm):
    for i in range(x.size):
        y[i] = x[i] / norm


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        y = torch.empty_like(x)
        flat = x.view(-1).numpy()
        scaled(flat, y.view(-1).numpy(), math.sqrt(squares(flat)))
        return y
