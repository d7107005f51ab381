import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _maxpool(x, y, k, s, p, d):
    N, H, W = x.shape
    OH, OW = y.shape[1], y.shape[2]
    for n in range(N):
        for i in range(OH):
            for j in range(OW):
                best = np.float32(-np.inf)
                for a in range(k):
                    h = i * s - p + a * d
                    if h < 0 or h >= H:
                        continue
                    for b in range(k):
                        w = j * s - p + b * d
                        if w < 0 or w >= W:
                            continue
                        v = x[n, h, w]
                        if v > best or v != v:
                            best = v
                y[n, i, j] = best


class ModelNew(nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.k, self.s, self.p, self.d = kernel_size, stride, padding, dilation

    def _size(self, n):
        return (n + 2 * self.p - self.d * (self.k - 1) - 1) // self.s + 1

    def forward(self, x):
        lead, (H, W) = x.shape[:-2], x.shape[-2:]
        planes = x.contiguous().reshape(-1, H, W) if x.numel() else x.new_empty((0, H, W))
        y = torch.empty((planes.shape[0], self._size(H), self._size(W)), dtype=x.dtype)
        _maxpool(planes.numpy(), y.numpy(), self.k, self.s, self.p, self.d)
        return y.reshape(*lead, *y.shape[1:])
