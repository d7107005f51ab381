import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=True)
def _statistics(x, mean, var):
    N, C, P = x.shape
    for c in prange(C):
        s = 0.0
        for n in range(N):
            for p in range(P):
                s += x[n, c, p]
        m = s / (N * P)
        q = 0.0
        for n in range(N):
            for p in range(P):
                d = x[n, c, p] - m
                q += d * d
        mean[c] = m
        var[c] = q / (N * P)


@njit(parallel=True)
def _normalise(x, mean, var, g, b, eps, y):
    N, C, P = x.shape
    for c in prange(C):
        k = 1.0 / math.sqrt(var[c] + eps)
        for n in range(N):
            for p in range(P):
                y[n, c, p] = (x[n, c, p] - mean[c]) * k * g[c] + b[c]


@njit
def _ema(running, fresh, scale, momentum):
    for c in range(running.shape[0]):
        running[c] = (1.0 - momentum) * running[c] + momentum * scale * fresh[c]


class _Kernelised(nn.BatchNorm2d):
    """Same parameters, buffers and state_dict keys as its parent; only forward is replaced."""

    @torch.no_grad()
    def forward(self, x):
        self._check_input_dim(x)
        N, C = x.shape[:2]
        x3 = x.contiguous().view(N, C, x.shape[2] * x.shape[3])
        out = torch.empty_like(x3)
        if self.training:
            count = N * x3.shape[2]
            if count == 1:
                raise ValueError("Expected more than 1 value per channel when training, got input size %s" % (x.size(),))
            self.num_batches_tracked += 1
            if count == 0:
                return out.view(x.shape)
            mean, var = np.empty(C), np.empty(C)
            _statistics(x3.numpy(), mean, var)
            for buffer, value, factor in ((self.running_mean, mean, 1.0), (self.running_var, var, count / (count - 1))):
                moved = buffer.clone()
                _ema(moved.numpy(), value, factor, self.momentum)
                buffer.copy_(moved)
        else:
            mean, var = (t.to(torch.float64).numpy() for t in (self.running_mean, self.running_var))
        if out.numel():
            _normalise(x3.numpy(), mean, var, self.weight.numpy(), self.bias.numpy(), self.eps, out.numpy())
        return out.view(x.shape)


class ModelNew(nn.Module):
    def __init__(self, num_features):
        super().__init__()
        self.bn = _Kernelised(num_features)

    def forward(self, x):
        return self.bn(x)
