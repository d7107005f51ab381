import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _sort(x, y, tmp):
    for r in range(x.shape[0]):
        n = x.shape[1]
        a = y[r]
        for i in range(n):
            a[i] = x[r, i]
        w = 1
        while w < n:
            s = 0
            while s + 2 * w <= n:
                i, j, k = s, s + w, s
                while i < s + w and j < s + 2 * w:
                    if a[j] < a[i]:
                        tmp[k] = a[j]
                        j += 1
                    else:
                        tmp[k] = a[i]
                        i += 1
                    k += 1
                while i < s + w:
                    tmp[k] = a[i]
                    i += 1
                    k += 1
                while j < s + 2 * w:
                    tmp[k] = a[j]
                    j += 1
                    k += 1
                for q in range(s, s + 2 * w):
                    a[q] = tmp[q]
                s += 2 * w
            w *= 2


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        x = x.contiguous()
        n = x.shape[-1]
        y = torch.empty_like(x)
        rows = x.numel() // n if n else 0
        _sort(x.view(rows, n).numpy(), y.view(rows, n).numpy(), torch.empty(n, dtype=x.dtype).numpy())
        return y
