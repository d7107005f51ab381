"""LayerNorm in Numba: the mean first, then the spread around it, both in double precision."""

import math

import torch
import torch.nn as nn
from numba import njit


@njit
def layernorm_rows(source, weight, bias, eps, target):
    columns = source.shape[1]
    for row in range(source.shape[0]):
        total = 0.0
        for i in range(columns):
            total += source[row, i]
        mean = total / columns
        spread = 0.0
        for i in range(columns):
            spread += (source[row, i] - mean) ** 2
        scale = 1.0 / math.sqrt(spread / columns + eps)
        for i in range(columns):
            target[row, i] = (source[row, i] - mean) * scale * weight[i] + bias[i]


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        rows = x.detach().contiguous().view(-1, x.shape[-1])
        y = torch.empty(rows.shape, dtype=x.dtype)
        weight, bias = self.weight.detach().numpy(), self.bias.detach().numpy()
        layernorm_rows(rows.numpy(), weight, bias, self.eps, y.numpy())
        return y.view(x.shape)
