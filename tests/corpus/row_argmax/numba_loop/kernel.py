"""The same in Numba."""

import math

import torch
import torch.nn as nn
from numba import njit


@njit
def argmax_rows(source, target):
    for row in range(source.shape[0]):
        best = 0
        for i in range(1, source.shape[1]):
            if math.isnan(source[row, best]):
                break
            if source[row, i] > source[row, best] or math.isnan(source[row, i]):
                best = i
        target[row] = best


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        y = torch.empty(x.shape[:-1], dtype=torch.int64)
        argmax_rows(x.numpy(), y.numpy())
        return y
