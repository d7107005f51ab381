import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _mul(a, b, c):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                c[i, j, k] = a[i, j, k] * b[j, k]


@njit
def _crop(a, y):
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            for k in range(y.shape[2]):
                y[i, j, k] = a[i, j, k]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self._t = np.fft

    def forward(self, x, h):
        n = 2 * x.shape[-1]
        X = self._t.rfft(x.numpy(), n)
        H = self._t.rfft(h.numpy(), n)
        Y = np.empty_like(X)
        _mul(X, H, Y)
        y = torch.empty_like(x)
        _crop(self._t.irfft(Y, n), y.numpy())
        return y
