"""A compiled Numba function whose only statement hands the product to BLAS."""

import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def product(a, b, out):
    np.dot(a, b, out)


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        c = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        if c.numel():
            product(a.numpy(), b.numpy(), c.numpy())
        return c
