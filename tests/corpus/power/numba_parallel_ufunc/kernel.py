"""Powers by a universal function of Numba over all threads: each calls the C library's pow."""

import torch
import torch.nn as nn
from numba import float32, vectorize


@vectorize([float32(float32, float32)], target="parallel")
def raised(x, y):
    return x ** y


class ModelNew(nn.Module):
    def forward(self, x, y):
        if x.dtype != torch.float32 or y.dtype != torch.float32:
            raise TypeError("float32 only")
        return torch.from_numpy(raised(x.numpy(), y.numpy()))
