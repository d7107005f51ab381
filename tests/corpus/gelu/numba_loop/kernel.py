"""A Numba loop with math.erfc."""

import math

import torch
import torch.nn as nn
from numba import njit


@njit
def gelu_loop(source, target):
    for i in range(source.size):
        target[i] = 0.5 * source[i] * math.erfc(-source[i] * 0.7071067811865476)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.detach().contiguous()
        y = torch.empty_like(x)
        gelu_loop(x.view(-1).numpy(), y.view(-1).numpy())
        return y
