"""A Numba ufunc of one number, compiled for float32 when the file is read."""

import math

import torch
import torch.nn as nn
from numba import float32, vectorize


@vectorize([float32(float32)])
def gelu(v):
    return float32(0.5) * v * math.erfc(-v * float32(0.70710678))


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        y = torch.empty_like(x)
        gelu(x.numpy(), out=y.numpy())
        return y
