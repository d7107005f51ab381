"""The layer in Numba, with partial sums in double precision."""

import torch
import torch.nn as nn
from numba import njit


@njit
def layer(x, weight, bias, y):
    for i in range(x.shape[0]):
        for j in range(weight.shape[0]):
            total = float(bias[j])
            for p in range(x.shape[1]):
                total += x[i, p] * weight[j, p]
            y[i, j] = 0.0 if total < 0.0 else total


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        weight, bias = self.fc.weight.detach(), self.fc.bias.detach()
        y = torch.empty((x.shape[0], weight.shape[0]), dtype=x.dtype)
        layer(x.numpy(), weight.contiguous().numpy(), bias.numpy(), y.numpy())
        return y
